package dev.flyball.runner.repository;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.Sha256;
import dev.flyball.contract.text.TimeSpan;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.util.FileUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bare mirror of the newest commit of one branch of a repository by URL. It is fetched before a
 * session; one fetch runs at a time, and sessions that start meanwhile wait for the same one. If it
 * fails or takes too long, the last good state is read, and its age is part of what sessions, logs
 * and health report. Thread-safe.
 */
final class Mirror {
  /** The one branch of a mirror, whatever its name at the server. */
  static final String BRANCH = "fetched";

  private static final Logger log = LoggerFactory.getLogger(Mirror.class);
  private static final String FETCHED_AT = "flyball-fetched";

  private static final String TOO_LARGE = "it is larger than sessions.fetch.size";

  /** From this many packs on, what is no longer needed is removed. */
  private static final int MANY_PACKS = 40;

  /** Delta bases up to this size are kept in memory; larger files are streamed. */
  private static final int STREAMED_FROM = 16 << 20;

  private final Path folder;
  private final GitServer server;
  private final MirrorLimits limits;
  private final InstantSource clock;

  /** The fetch that runs; guarded by this. */
  private @Nullable CompletableFuture<Void> running;

  /** Why the last fetch failed or is late; null after one that worked. Read by health. */
  private volatile @Nullable String trouble;

  /**
   * Reads nothing yet.
   *
   * @param mirrors the folder of all mirrors; no other process writes there
   */
  Mirror(Path mirrors, GitServer server, InstantSource clock) {
    // With the token's name, for what one source may read must not be shown to another.
    String name = server.url() + " " + server.ref() + " " + server.of().token();
    this.folder = mirrors.resolve(Sha256.hex(name, 10) + ".git");
    this.server = server;
    this.limits = server.limits();
    this.clock = clock;
  }

  Path folder() {
    return folder;
  }

  /** Begins to fetch, if no fetch runs, and does not wait for it. */
  void begin() {
    var _ = joined();
  }

  /**
   * Fetches, and returns when {@link #BRANCH} is at the newest commit or is known to be older.
   *
   * @return a line about the age of what is read, if it may not be the newest
   * @throws IOException if nothing was ever fetched
   */
  Optional<String> fetched() throws IOException {
    CompletableFuture<Void> fetch = joined();
    Duration wait = fetchedAt().isEmpty() ? limits.limit() : limits.patience();
    String cause;
    try {
      fetch.get(wait.toMillis(), TimeUnit.MILLISECONDS);
      return Optional.empty();
    } catch (ExecutionException e) {
      cause = OneLine.of(e.getCause() == null ? e : e.getCause().getMessage(), 300);
    } catch (TimeoutException e) {
      cause = "no end after " + TimeSpan.age(wait);
      late(fetch, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a fetch");
    }
    Optional<Instant> last = fetchedAt();
    if (last.isEmpty()) {
      throw new IOException("repository " + server.url() + " cannot be fetched: " + cause);
    }
    String age = age(last.get());
    log.warn(
        "repository not fetched, its last good state is read: url={} age={} cause={}",
        server.url(),
        age,
        cause);
    return Optional.of(
        "The repository could not be fetched now. This is its state of "
            + last.get().truncatedTo(ChronoUnit.SECONDS)
            + ", "
            + age
            + " old.");
  }

  /** What is wrong with its fetches, for health; empty if the last one worked. */
  Optional<String> trouble() {
    String cause = trouble;
    if (cause == null) {
      return Optional.empty();
    }
    String state =
        fetchedAt()
            .map(at -> "sessions read its state of " + age(at) + " ago")
            .orElse("sessions cannot start");
    return Optional.of(
        "repository " + server.url() + " cannot be fetched, " + state + ": " + cause);
  }

  /** When the last fetch that worked began; kept over restarts. */
  private Optional<Instant> fetchedAt() {
    try {
      String written = Files.readString(folder.resolve(FETCHED_AT)).strip();
      return Optional.of(Instant.ofEpochMilli(Long.parseLong(written)));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private String age(Instant at) {
    Duration age = Duration.between(at, clock.instant());
    return TimeSpan.age(age.isNegative() ? Duration.ZERO : age);
  }

  private synchronized CompletableFuture<Void> joined() {
    if (running == null || running.isDone()) {
      var fetch = new CompletableFuture<Void>();
      running = fetch;
      Thread.ofPlatform().daemon().name("fetch").start(() -> fetch(fetch));
    }
    return running;
  }

  /** A fetch that has ended meanwhile has said itself how it ended. */
  private synchronized void late(CompletableFuture<Void> fetch, String cause) {
    if (!fetch.isDone()) {
      trouble = cause;
    }
  }

  private void fetch(CompletableFuture<Void> fetch) {
    try {
      fetch(clock.instant());
      ended(fetch, null);
    } catch (IOException | RuntimeException | Error e) {
      // Errors too: sessions would wait for the whole limit.
      ended(fetch, e);
    }
  }

  private synchronized void ended(CompletableFuture<Void> fetch, @Nullable Throwable fault) {
    trouble = fault == null ? null : OneLine.of(fault.getMessage(), 300);
    var _ = fault == null ? fetch.complete(null) : fetch.completeExceptionally(fault);
  }

  /**
   * Fetches the branch's newest commit. A mirror whose own files are damaged, as after a power cut,
   * is deleted and fetched whole: otherwise no session of this repository would ever start again.
   */
  private void fetch(Instant now) throws IOException {
    String cause = "files of the commit are missing";
    try {
      // The server sends no file that an earlier commit had too.
      boolean moved = fetchOnce(now);
      if (!moved || readable()) {
        return;
      }
    } catch (IOException e) {
      if (fetchedAt().isEmpty() || readable()) {
        throw e;
      }
      cause = e.getMessage();
    }
    log.warn("damaged mirror is fetched whole: url={} cause={}", server.url(), cause);
    FileUtils.delete(folder.toFile(), FileUtils.RECURSIVE);
    var _ = fetchOnce(now);
  }

  /** Returns whether the branch is at another commit than before. */
  private boolean fetchOnce(Instant now) throws IOException {
    var bounds = new Bounds();
    boolean moved;
    try (Repository mirror = opened()) {
      moved = server.fetch(mirror, BRANCH, bounds);
      if (packs() > MANY_PACKS || bounds.tooLarge()) {
        var _ = Git.wrap(mirror).gc().setExpire(now).call();
      }
    } catch (IOException | GitAPIException | RuntimeException e) {
      throw bounds.tooLarge()
          ? new IOException(TOO_LARGE, e)
          : bounds.isCancelled()
              ? new IOException(
                  "it takes longer than " + limits.limit().toMinutes() + " minutes", e)
              : new IOException(String.valueOf(e.getMessage()), e);
    }
    boolean large = bounds.tooLarge();
    if (!large || fetchedAt().isPresent()) {
      // Also if it is too large: its branch has moved, so the age is that of this fetch.
      Path written = folder.resolve(FETCHED_AT + ".new");
      Files.writeString(written, now.toEpochMilli() + "\n");
      Files.move(written, folder.resolve(FETCHED_AT), StandardCopyOption.ATOMIC_MOVE);
    }
    if (large) {
      throw new IOException(TOO_LARGE);
    }
    return moved;
  }

  /** Whether every file of its commit is there. */
  private boolean readable() {
    try (Repository mirror = built();
        ObjectWalk files = new ObjectWalk(mirror)) {
      ObjectId commit = mirror.resolve("refs/heads/" + BRANCH);
      if (commit == null) {
        return false;
      }
      files.markStart(files.parseCommit(commit));
      files.checkConnectivity();
      return true;
    } catch (IOException | RuntimeException e) {
      log.debug("unreadable mirror: url={}", server.url(), e);
      return false;
    }
  }

  private Repository opened() throws IOException {
    Repository mirror = built();
    if (Files.isRegularFile(folder.resolve("HEAD"))) {
      removeRemains();
    } else {
      Files.createDirectories(folder);
      mirror.create(true);
    }
    // Each time: without these lines, which a power cut can take away, redirects would be followed.
    StoredConfig config = mirror.getConfig();
    config.setBoolean("http", null, "followRedirects", false);
    config.setInt("core", null, "streamFileThreshold", STREAMED_FROM);
    // JGit would clean up in a separate thread, beside the next fetch.
    config.setInt("gc", null, "auto", 0);
    config.setInt("gc", null, "autoPackLimit", 0);
    config.setBoolean("gc", null, "autoDetach", false);
    config.setString("gc", null, "prunePackExpire", "now");
    config.save();
    return mirror;
  }

  private Repository built() throws IOException {
    return new FileRepositoryBuilder().setGitDir(folder.toFile()).setBare().build();
  }

  /** Removes what a fetch left that died with its process: its locks would keep every other out. */
  private void removeRemains() throws IOException {
    try (Stream<Path> files = Files.walk(folder, 4)) {
      for (Path file : files.filter(Mirror::remains).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static boolean remains(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".lock") || name.startsWith("incoming_") || name.equals("gc.pid");
  }

  private long packs() throws IOException {
    try (Stream<Path> packs = Files.list(folder.resolve("objects/pack"))) {
      return packs.filter(file -> file.toString().endsWith(".pack")).count();
    }
  }

  /** Cancels a fetch that takes too long or receives too much. JGit asks between two objects. */
  private final class Bounds extends EmptyProgressMonitor {
    private static final long SIZE_EVERY = Duration.ofMillis(500).toNanos();

    private final long begun = System.nanoTime();
    private long sizedAt = begun;
    private boolean tooLarge;

    @Override
    public boolean isCancelled() {
      long now = System.nanoTime();
      if (now - sizedAt > SIZE_EVERY) {
        sizedAt = now;
        tooLarge = tooLarge();
      }
      return tooLarge || now - begun > limits.limit().toNanos();
    }

    /** Whether the mirror is larger than allowed, as it is now. */
    boolean tooLarge() {
      // Only an error of the file system itself comes from here; the fetch then meets it too.
      try (Stream<Path> files = Files.walk(folder.resolve("objects"))) {
        return files.mapToLong(Bounds::size).sum() > limits.bytes();
      } catch (IOException | UncheckedIOException e) {
        return false;
      }
    }

    private static long size(Path file) {
      try {
        return Files.isRegularFile(file) ? Files.size(file) : 0;
      } catch (IOException e) {
        // Renamed meanwhile.
        return 0;
      }
    }
  }
}
