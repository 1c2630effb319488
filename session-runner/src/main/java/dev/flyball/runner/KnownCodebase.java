package dev.flyball.runner;

import dev.flyball.runner.ledger.ElapsedClock;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.scout.RepositoryPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repository as agents are told of it, listed anew at most once a minute, whatever the number
 * of sessions (S0-38). A repository that cannot be listed is no reason to start none.
 */
final class KnownCodebase implements Supplier<Codebase> {
  private static final Logger log = LoggerFactory.getLogger(KnownCodebase.class);
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();

  /** More are not looked at; the text has room for fewer. */
  private static final int MAX_FILES = 5_000;

  private final Path repository;
  private final Path data;
  private final ElapsedClock clock;
  private Codebase known = Codebase.UNKNOWN;
  private long listedAt;
  private boolean listed;

  KnownCodebase(Path repository, Path data, ElapsedClock clock) {
    this.repository = repository;
    this.data = data;
    this.clock = clock;
  }

  @Override
  public synchronized Codebase get() {
    long now = clock.nanos();
    if (!listed || now - listedAt > FRESH_NANOS) {
      listed = true;
      listedAt = now;
      try {
        known = Codebase.of(RepositoryPaths.of(repository, List.of(data), MAX_FILES));
      } catch (IOException e) {
        log.warn("agents are told nothing of the repository: {}", e.getMessage());
        known = Codebase.UNKNOWN;
      }
    }
    return known;
  }
}
