package dev.flyball.runner;

import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.codebase.CodebaseSummary;
import dev.flyball.scout.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The summary of one repository for the agents' prompts: made once for each head, and shared by all
 * sessions. The first session waits for it, {@link #LIMIT} at most, and others that start meanwhile
 * wait for the same. A repository that cannot be read does not keep a session from starting.
 */
final class KnownCodebase {
  private static final Logger log = LoggerFactory.getLogger(KnownCodebase.class);

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
