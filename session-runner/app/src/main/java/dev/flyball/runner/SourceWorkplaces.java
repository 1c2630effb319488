package dev.flyball.runner;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Failure;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.Repositories.OfSource;
import dev.flyball.runner.codebase.CodebaseSummary;
import dev.flyball.runner.execution.Workplaces;
import dev.flyball.runner.repository.Mirror;
import dev.flyball.runner.repository.MirrorRepository;
import dev.flyball.runner.repository.RemoteBranch;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.scout.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the repository that an item's source names: a folder as it is, or for a branch and for a
 * repository by URL a tree of the newest commit for each session alone.
 */
final class SourceWorkplaces implements Workplaces {
  private static final Logger log = LoggerFactory.getLogger(SourceWorkplaces.class);

  private static final String WORKTREES = "worktrees";
  private static final String MIRRORS = "mirrors";

  /** Short, because a socket's path has room for 108 bytes, and agents open sockets there. */
  private static final String TEMPORARY = "tmp";

  /** Less is left on a full disk. */
  private static final int LEAST_BYTES = 1 << 20;

  // Sources may be added while it runs.
  private volatile Repositories repositories;
  private final Path data;
  private final ElapsedClock elapsed;
  private final InstantSource clock;
  private final Map<String, String> environment;
  private final Optional<String> user;

  /** Kept as long as the runner lives: one for each repository and branch. */
  private final Map<OfSource, KnownCodebase> codebases = new ConcurrentHashMap<>();

  private final Map<OfSource, Mirror> mirrors = new ConcurrentHashMap<>();

  /**
   * Reads nothing yet.
   *
   * @param data the runner's folder; it holds trees and mirrors, and no codebase includes it
   * @param environment where the variables of tokens are looked up
   * @param user the user that agents run as; empty for the runner's user
   */
  SourceWorkplaces(
      Repositories repositories,
      Path data,
      ElapsedClock elapsed,
      InstantSource clock,
      Map<String, String> environment,
      Optional<String> user) {
    this.repositories = repositories;
    this.data = data;
    this.elapsed = elapsed;
    this.clock = clock;
    this.environment = Map.copyOf(environment);
    this.user = user;
  }

  /**
   * Removes the trees and temporary files of sessions of an earlier runner and the mirrors of
   * repositories that are not configured any more, and begins to fetch those that are: the first
   * fetch of a large repository takes longer than a session's start may. Call it once no process of
   * an earlier runner lives, and before the first session.
   */
  void prepare() {
    Checkouts.remove(data.resolve(WORKTREES));
    Checkouts.remove(data.resolve(TEMPORARY));
    List<Mirror> configured =
        Stream.concat(Stream.of(repositories.usual()), repositories.bySource().values().stream())
            .filter(own -> own.address() instanceof RepositoryAddress.Url)
            .map(own -> mirror(own, (RepositoryAddress.Url) own.address()))
            .distinct()
            .toList();
    Set<Path> known = configured.stream().map(Mirror::folder).collect(Collectors.toSet());
    try (Stream<Path> there = Files.list(data.resolve(MIRRORS))) {
      there.filter(folder -> !known.contains(folder)).forEach(Checkouts::remove);
    } catch (NoSuchFileException e) {
      log.debug("no mirror was made yet");
    } catch (IOException e) {
      log.warn("mirrors not listed: path={} cause={}", data.resolve(MIRRORS), e.toString());
    }
    configured.forEach(Mirror::begin);
  }

  /** Whether the items of a source have a repository here; see {@link Repositories#of}. */
  boolean knows(String source, @Nullable String polledBy) {
    return repositories.of(source, polledBy).isPresent();
  }

  /** Adds a source whose items are analysed in {@code sessions.repo}; one writer at a time. */
  void add(String source) {
    repositories = repositories.with(source);
  }

  /** Repositories that cannot be fetched now, for health. */
  List<Health.Condition> troubles() {
    var troubles = new ArrayList<Health.Condition>();
    mirrors.forEach((repository, mirror) ->
        mirror
            .trouble()
            .ifPresent(it ->
                troubles.add(
                    new Health.Condition("repository", repository.address().toString(), it))));
    return troubles;
  }

  @Override
  public Workplace enter(ItemKey item, @Nullable String polledBy, Consumer<Duration> writing)
      throws NoWorkplace {
    OfSource own =
        repositories
            .of(item.sourceKey(), polledBy)
            .orElseThrow(() ->
                new NoWorkplace(
                    Failure.REPOSITORY,
                    "source " + item.sourceKey() + " is not configured here",
                    null));
    try {
      Path temporary = temporary();
      try {
        return place(item, own, temporary, writing);
      } catch (IOException | RuntimeException | Error e) {
        Checkouts.remove(temporary);
        throw e;
      }
    } catch (NoWorkplace e) {
      throw e;
    } catch (IOException e) {
      throw new NoWorkplace(fault(), String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * A folder for one session's temporary files. Agents leave files and sockets in the system's
   * folder, which nothing cleans while a machine is up.
   */
  private Path temporary() throws NoWorkplace {
    Path own;
    try {
      Path all = Files.createDirectories(data.resolve(TEMPORARY));
      own = Files.createTempDirectory(all.toAbsolutePath(), "");
    } catch (IOException e) {
      throw new NoWorkplace(Failure.DATA_FOLDER, "no folder for temporary files: " + e, e);
    }
    try {
      if (user.isPresent()) {
        var name = own.getFileSystem().getUserPrincipalLookupService();
        Files.setOwner(own, name.lookupPrincipalByName(user.get()));
      }
      return own;
    } catch (IOException e) {
      Checkouts.remove(own);
      throw new NoWorkplace(
          Failure.AGENT_USER,
          "user " + user.get() + " of sessions.user cannot have a folder: " + e,
          e);
    }
  }

  private Workplace place(ItemKey item, OfSource own, Path temporary, Consumer<Duration> writing)
      throws IOException {
    switch (own.address()) {
      case RepositoryAddress.Folder(Path folder) -> {
        if (!Files.isDirectory(folder)) {
          throw new IOException("repository " + folder + " is no folder");
        }
        return own.branch().isEmpty()
            ? reading(own, folder, null, temporary, () -> Checkouts.remove(temporary))
            : inTree(item, own, folder, own.branch().get(), null, temporary, writing);
      }
      case RepositoryAddress.Url url -> {
        Mirror mirror = mirror(own, url);
        String old = mirror.fetched().orElse(null);
        Path folder = mirror.folder();
        return inTree(item, own, folder, MirrorRepository.BRANCH, old, temporary, writing);
      }
    }
  }

  /** Whose fault it is that a tree could not be written: a full disk's, or else its source's. */
  private String fault() {
    try {
      return Files.getFileStore(data).getUsableSpace() < LEAST_BYTES
          ? Failure.DISK_FULL
          : Failure.REPOSITORY;
    } catch (IOException e) {
      return Failure.DATA_FOLDER;
    }
  }

  /** A tree for one session alone; {@code old} says that its commit may not be the newest. */
  private Workplace inTree(
      ItemKey item,
      OfSource own,
      Path repository,
      String branch,
      @Nullable String old,
      Path temporary,
      Consumer<Duration> writing)
      throws IOException {
    // Once the repository has answered, its tree may take as long as fetching it.
    log.debug("writing a tree: commit={}", Checkouts.commitOf(repository, branch));
    writing.accept(repositories.fetches().limit());
    Path folder = data.resolve(WORKTREES).resolve(item.tenant()).resolve(item.source());
    Path tree = Checkouts.write(folder, repository, branch);
    return reading(
        own,
        tree,
        old,
        temporary,
        () -> {
          Checkouts.remove(tree);
          Checkouts.remove(temporary);
        });
  }

  /** A session that works in this folder. */
  private Workplace reading(
      OfSource own, Path folder, @Nullable String old, Path temporary, Runnable leave) {
    String commit = RepositoryFiles.commitOf(folder);
    KnownCodebase codebase =
        codebases.computeIfAbsent(own, each -> new KnownCodebase(data, elapsed));
    return new Workplace(
        folder,
        commit,
        old,
        () -> (old == null ? "" : old + "\n") + codebase.of(folder, commit),
        temporary,
        leave);
  }

  private Mirror mirror(OfSource own, RepositoryAddress.Url url) {
    return mirrors.computeIfAbsent(
        own,
        each ->
            new Mirror(
                data.resolve(MIRRORS),
                new RemoteBranch(url, own.branch(), own.token()),
                repositories.fetches(),
                environment,
                clock));
  }

  /**
   * The summary of one repository for the agents' prompts: made once for each head, and shared by
   * all sessions. The first session waits for it, {@link #LIMIT} at most, and others that start
   * meanwhile wait for the same. A repository that cannot be read does not keep a session from
   * starting.
   */
  static final class KnownCodebase {
    /** How long reading a repository may take; then the summary has what was read by then. */
    private static final Duration LIMIT = Duration.ofSeconds(4);

    /** How long a summary counts that is of no head, or is not complete. */
    private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();

    private static final int MAX_FILES = 1_000_000;

    private final Path data;
    private final ElapsedClock clock;

    /** Guarded by this. */
    private @Nullable Known known;

    /**
     * A summary.
     *
     * @param lasting whether it counts as long as the head does not move
     */
    private record Known(String codebase, @Nullable String commit, boolean lasting, long at) {}

    /** Reads nothing yet. The data folder is part of no codebase. */
    KnownCodebase(Path data, ElapsedClock clock) {
      this.data = data;
      this.clock = clock;
    }

    /**
     * Returns the summary.
     *
     * @param folder where the files of the repository are
     * @param commit the head, null if there is none
     */
    synchronized String of(Path folder, @Nullable String commit) {
      Known now = known;
      if (now != null
          && Objects.equals(now.commit(), commit)
          && (now.lasting() || clock.nanos() - now.at() < FRESH_NANOS)) {
        return now.codebase();
      }
      Known read = read(folder, commit);
      known = read;
      return read.codebase();
    }

    private Known read(Path folder, @Nullable String commit) {
      long begun = clock.nanos();
      try {
        var summary = new CodebaseSummary();
        boolean complete =
            RepositoryFiles.open(folder, List.of(data))
                .list(summary::add, MAX_FILES, () -> clock.nanos() - begun > LIMIT.toNanos());
        String codebase = summary.of(commit, complete);
        long now = clock.nanos();
        log.info(
            "codebase read: path={} commit={} files={} complete={} millis={}",
            folder,
            commit == null ? "-" : commit,
            summary.files(),
            complete,
            (now - begun) / 1_000_000);
        return new Known(codebase, commit, commit != null && complete, now);
      } catch (IOException | RuntimeException e) {
        log.warn(
            "prompts carry no summary of the repository: path={} cause={}", folder, e.toString());
        return new Known("", commit, false, clock.nanos());
      }
    }
  }
}
