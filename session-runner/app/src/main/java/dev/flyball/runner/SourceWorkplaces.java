package dev.flyball.runner;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.Repositories.OfSource;
import dev.flyball.runner.execution.Workplaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the repository, or the tree of the branch, that an item's source names. */
final class SourceWorkplaces implements Workplaces {
  private static final String CHECKOUTS = "checkouts";

  private final Repositories repositories;
  private final Path data;
  private final ElapsedClock clock;
  private final boolean told;

  /** Kept as long as the runner lives: one for each repository and each branch's tree. */
  private final Map<Path, KnownCodebase> codebases = new ConcurrentHashMap<>();

  private final Map<String, Checkouts> checkouts = new ConcurrentHashMap<>();

  /**
   * Reads nothing yet.
   *
   * @param data the runner's folder; it holds the trees of branches, and no codebase includes it
   * @param told whether prompts carry the codebase; it is listed ahead then
   */
  SourceWorkplaces(Repositories repositories, Path data, ElapsedClock clock, boolean told) {
    this.repositories = repositories;
    this.data = data;
    this.clock = clock;
    this.told = told;
  }

  /**
   * Starts the listing of the folders that are read as they are, so that the first sessions know
   * them.
   */
  void lookAhead() {
    if (!told) {
      return;
    }
    var _ = codebase(repositories.usual()).get();
    repositories.bySource().values().stream()
        .filter(own -> own.branch().isEmpty())
        .forEach(own -> codebase(own.folder()).get());
  }

  @Override
  public Workplace enter(ItemKey item) throws IOException {
    OfSource own = repositories.of(item);
    if (!Files.isDirectory(own.folder())) {
      throw new IOException("repository " + own.folder() + " is no folder");
    }
    if (own.branch().isEmpty()) {
      return Workplace.fixed(own.folder(), codebase(own.folder()));
    }
    Checkouts trees = checkouts(item, own.folder(), own.branch().get());
    Path tree = trees.enter();
    codebases.keySet().removeIf(path -> !Files.isDirectory(path));
    KnownCodebase codebase = codebase(tree);
    if (told) {
      codebase.learn();
    }
    return new Workplace(tree, codebase, () -> trees.leave(tree));
  }

  private Checkouts checkouts(ItemKey item, Path folder, String branch) {
    return checkouts.computeIfAbsent(
        item.tenant() + "/" + item.source(),
        source -> new Checkouts(data.resolve(CHECKOUTS).resolve(source), folder, branch));
  }

  private KnownCodebase codebase(Path directory) {
    return codebases.computeIfAbsent(directory, each -> new KnownCodebase(each, data, clock));
  }
}
