package dev.flyball.runner;

import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.scout.FolderListing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the repository for the agents' prompts, at most once a minute, whatever the number of
 * sessions.
 *
 * <p>The listing runs beside the sessions, because a session that waited for a large or slow tree
 * would miss its deadline. A repository that cannot be listed does not keep a session from
 * starting.
 */
final class KnownCodebase implements Supplier<Codebase> {
  private static final Logger log = LoggerFactory.getLogger(KnownCodebase.class);
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();

  /** Most files that a listing reads; the prompt has room for fewer. */
  private static final int MAX_FILES = 5_000;

  private final Path repository;
  private final Path data;
  private final ElapsedClock clock;
  private final AtomicBoolean listing = new AtomicBoolean();

  /** Written by the listing thread alone. */
  private volatile Listed known = new Listed(Codebase.UNKNOWN, Long.MIN_VALUE);

  private record Listed(Codebase codebase, long at) {}

  KnownCodebase(Path repository, Path data, ElapsedClock clock) {
    this.repository = repository;
    this.data = data;
    this.clock = clock;
  }

  /** Returns what is known now, and starts a new listing in the background if that is old. */
  @Override
  public Codebase get() {
    Listed now = known;
    boolean old = now.at() == Long.MIN_VALUE || clock.nanos() - now.at() > FRESH_NANOS;
    if (old && listing.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("codebase").start(this::list);
    }
    return now.codebase();
  }

  /**
   * Lists the repository in the calling thread if it never was listed. A tree that was just written
   * is not known yet, and a session that waited for the tree can wait for its listing too.
   */
  void learn() {
    if (known.at() == Long.MIN_VALUE && listing.compareAndSet(false, true)) {
      list();
    }
  }

  private void list() {
    Codebase found = Codebase.UNKNOWN;
    try {
      found = Codebase.of(FolderListing.of(repository, List.of(data), MAX_FILES));
    } catch (IOException | RuntimeException e) {
      log.warn("prompts carry no facts of the repository: cause={}", e.toString());
    } finally {
      known = new Listed(found, clock.nanos());
      listing.set(false);
    }
  }
}
