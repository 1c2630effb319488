package dev.flyball.producer;

import dev.flyball.tracker.Failure;
import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.Leave;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a tracker answers: begins a poll, publishes nothing of it and moves no cursor. A
 * tracker that answers the first few requests passes.
 */
final class Probe {
  /** Most requests of one check: a login's check, a list, its next page. */
  static final int MOST = 3;

  private Probe() {}

  /** Why the tracker does not answer; empty if it does. */
  static Optional<Failure> of(String key, Source source, @Nullable String cursor) {
    var left = new AtomicInteger(MOST);
    Leave few =
        () -> {
          if (left.getAndDecrement() == 0) {
            throw new Leave.LeaveLost("enough is known");
          }
        };
    try {
      return switch (source.poll(cursor, few)) {
        case PollResult.Failed failed -> Optional.of(failed.failure());
        case PollResult.Read read -> Optional.empty();
      };
    } catch (Leave.LeaveLost e) {
      return Optional.empty();
    } catch (SourceFailure e) {
      return Optional.of(e.failure());
    } catch (RuntimeException e) {
      return Optional.of(
          Failure.of(Category.MALFORMED, key + ": its answer broke its reader (" + e + ")"));
    }
  }
}
