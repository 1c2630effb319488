package dev.flyball.runner;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.Repositories.OfSource;
import dev.flyball.runner.execution.Workplaces;
import dev.flyball.scout.HeadFiles;
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

  /** Kept as long as the runner lives: one for each repository and branch. */
  private final Map<OfSource, KnownCodebase> codebases = new ConcurrentHashMap<>();

  private final Map<String, Checkouts> checkouts = new ConcurrentHashMap<>();

  /**
   * Reads nothing yet.
   *
   * @param data the runner's folder; it holds the trees of branches, and no codebase includes it
   */
  SourceWorkplaces(Repositories repositories, Path data, ElapsedClock clock) {
    this.repositories = repositories;
    this.data = data;
    this.clock = clock;
  }

  @Override
  public Workplace enter(ItemKey item) throws IOException {
    OfSource own = repositories.of(item);
    if (!Files.isDirectory(own.folder())) {
      throw new IOException("repository " + own.folder() + " is no folder");
    }
    KnownCodebase codebase = codebases.computeIfAbsent(own, each -> new KnownCodebase(data, clock));
    if (own.branch().isEmpty()) {
      String commit = HeadFiles.commitOf(own.folder());
      return Workplace.fixed(own.folder(), commit, () -> codebase.of(own.folder(), commit));
    }
    Checkouts trees = checkouts(item, own.folder(), own.branch().get());
    Path tree = trees.enter();
    String commit = HeadFiles.commitOf(tree);
    return new Workplace(tree, commit, () -> codebase.of(tree, commit), () -> trees.leave(tree));
  }

  private Checkouts checkouts(ItemKey item, Path folder, String branch) {
    return checkouts.computeIfAbsent(
        item.tenant() + "/" + item.source(),
        source -> new Checkouts(data.resolve(CHECKOUTS).resolve(source), folder, branch));
  }
}
