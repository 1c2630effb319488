package dev.flyball.runner.repository;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Failure;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.codebase.CodebaseSummary;
import dev.flyball.runner.execution.Workplaces;
import dev.flyball.runner.repository.Repositories.OfSource;
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
 * The workplaces of all sessions of a runner. A workplace is the folder in which an agent reads the
 * repository of its item's source, and one for its temporary files. The folder is the repository as
 * it is, or for a branch and for a repository by URL a tree of the newest commit for this session
 * alone ({@link Checkouts}); a repository by URL is fetched before ({@link Mirror}). What was made
 * for a session is removed at its end, or at the next start.
 */
public final class SourceWorkplaces implements Workplaces {
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
  public SourceWorkplaces(
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
  public void prepare() {
    Checkouts.remove(data.resolve(WORKTREES));
    Checkouts.remove(data.resolve(TEMPORARY));
    List<Mirror> configured =
        Stream.concat(Stream.of(repositories.usual()), repositories.bySource().values().stream())
            .filter(own -> own.address() instanceof RepositoryAddress.Url)
            .map(this::mirror)
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
  public boolean knows(String source, @Nullable String polledBy) {
    return repositories.of(source, polledBy).isPresent();
  }

  /** Adds a source whose items are analysed in {@code sessions.repo}; one writer at a time. */
  public void add(String source) {
    repositories = repositories.with(source);
  }

  /** Degraded while repositories cannot be fetched. */
  public Health health() {
    var troubles = new ArrayList<Health.Condition>();
    mirrors.forEach((repository, mirror) ->
        mirror
            .trouble()
            .ifPresent(it ->
                troubles.add(
                    new Health.Condition("repository", repository.address().toString(), it))));
    return Health.degraded(troubles);
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
    Path temporary = temporary();
    try {
      return place(item, own, temporary, writing);
    } catch (IOException e) {
      Checkouts.remove(temporary);
      throw new NoWorkplace(fault(), String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      Checkouts.remove(temporary);
      throw e;
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
    Path repository;
    String branch;
    // Says that the commit may not be the newest.
    String old = null;
    switch (own.address()) {
      case RepositoryAddress.Folder(Path folder) -> {
        if (!Files.isDirectory(folder)) {
          throw new IOException("repository " + folder + " is no folder");
        }
        repository = folder;
        branch = own.branch().orElse(null);
      }
      case RepositoryAddress.Url _ -> {
        Mirror mirror = mirror(own);
        old = mirror.fetched().orElse(null);
        repository = mirror.folder();
        branch = Mirror.BRANCH;
      }
    }
    if (branch == null) {
      return workplace(own, repository, old, temporary, List.of(temporary));
    }
    String commit = Checkouts.commitOf(repository, branch);
    // Once the repository has answered, its tree may take as long as fetching it.
    writing.accept(repositories.fetches().limit());
    Path trees = data.resolve(WORKTREES).resolve(item.tenant()).resolve(item.source());
    Path tree = Checkouts.write(trees, repository, commit);
    return workplace(own, tree, old, temporary, List.of(tree, temporary));
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

  /** A session that works in this folder, and whose own folders are removed at its end. */
  private Workplace workplace(
      OfSource own, Path folder, @Nullable String old, Path temporary, List<Path> made) {
    String commit = RepositoryFiles.commitOf(folder);
    KnownCodebase codebase =
        codebases.computeIfAbsent(own, each -> new KnownCodebase(data, elapsed));
    return new Workplace(
        folder,
        commit,
        old,
        () -> (old == null ? "" : old + "\n") + codebase.of(folder, commit),
        temporary,
        () -> made.forEach(Checkouts::remove));
  }

  private Mirror mirror(OfSource own) {
    return mirrors.computeIfAbsent(
        own,
        each ->
            new Mirror(
                data.resolve(MIRRORS),
                new GitServer(own, repositories.fetches(), environment),
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
     * @param until when it no longer counts, also if the head has not moved; elapsed nanoseconds
     */
    private record Known(String codebase, @Nullable String commit, long until) {}

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
      if (now == null || !Objects.equals(now.commit(), commit) || clock.nanos() > now.until()) {
        now = read(folder, commit);
        known = now;
      }
      return now.codebase();
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
        boolean lasting = commit != null && complete;
        return new Known(codebase, commit, lasting ? Long.MAX_VALUE : now + FRESH_NANOS);
      } catch (IOException | RuntimeException e) {
        log.warn(
            "prompts carry no summary of the repository: path={} cause={}", folder, e.toString());
        return new Known("", commit, clock.nanos() + FRESH_NANOS);
      }
    }
  }
}
