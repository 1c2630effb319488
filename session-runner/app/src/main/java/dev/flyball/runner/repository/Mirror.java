package dev.flyball.runner.repository;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.TimeSpan;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bare mirror of one branch of a repository by URL. It is fetched before a session; one fetch
 * runs at a time, and sessions that start meanwhile wait for the same one. If it fails or takes too
 * long, the last good state is read, and its age is part of what sessions, logs and health report.
 * Thread-safe.
 */
public final class Mirror {
  private static final Logger log = LoggerFactory.getLogger(Mirror.class);

  private final MirrorRepository repository;
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
   * @param environment where a token's variable is looked up
   */
  public Mirror(
      Path mirrors,
      RemoteBranch branch,
      MirrorLimits limits,
      Map<String, String> environment,
      InstantSource clock) {
    this.repository = new MirrorRepository(mirrors, branch, limits, environment);
    this.limits = limits;
    this.clock = clock;
  }

  /** The bare repository. */
  public Path folder() {
    return repository.folder();
  }

  /** Begins to fetch, if no fetch runs, and does not wait for it. */
  public void begin() {
    var _ = joined();
  }

  /**
   * Fetches, and returns when {@link MirrorRepository#BRANCH} is at the newest commit or is known
   * to be older.
   *
   * @return a line about the age of what is read, if it may not be the newest
   * @throws IOException if nothing was ever fetched
   */
  public Optional<String> fetched() throws IOException {
    CompletableFuture<Void> fetch = joined();
    boolean first = repository.fetchedAt().isEmpty();
    String cause;
    try {
      fetch.get((first ? limits.limit() : limits.patience()).toMillis(), TimeUnit.MILLISECONDS);
      return Optional.empty();
    } catch (ExecutionException e) {
      cause = OneLine.of(e.getCause() == null ? e : e.getCause().getMessage(), 300);
    } catch (TimeoutException e) {
      cause = "no end after " + TimeSpan.age(first ? limits.limit() : limits.patience());
      late(fetch, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a fetch");
    }
    Optional<Instant> last = repository.fetchedAt();
    if (last.isEmpty()) {
      throw new IOException("repository " + repository.url() + " cannot be fetched: " + cause);
    }
    String age = age(last.get());
    log.warn(
        "repository not fetched, its last good state is read: url={} age={} cause={}",
        repository.url(),
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
  public Optional<String> trouble() {
    String cause = trouble;
    if (cause == null) {
      return Optional.empty();
    }
    String state =
        repository
            .fetchedAt()
            .map(at -> "sessions read its state of " + age(at) + " ago")
            .orElse("sessions cannot start");
    return Optional.of(
        "repository " + repository.url() + " cannot be fetched, " + state + ": " + cause);
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
      repository.fetch(clock.instant());
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
}
