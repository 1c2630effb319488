package dev.flyball.producer;

import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.TrackerFailure;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a tracker answers: begins a poll, publishes nothing of it and moves no cursor. A
 * tracker that answers the first few requests passes.
 */
final class TrackerProbe {
  /** Most requests of one check: a login's check, a list, its next page. */
  static final int MOST = 3;

  private TrackerProbe() {}

  /** Why the tracker does not answer; empty if it does. */
  static Optional<TrackerFailure> of(String key, Source source, @Nullable String cursor) {
    var left = new AtomicInteger(MOST);
    RequestPermission few =
        () -> {
          if (left.getAndDecrement() == 0) {
            throw new RequestPermission.PermissionLost("enough is known");
          }
        };
    try {
      return switch (GuardedSource.polled(key, source, cursor, few)) {
        case PollResult.Failed failed -> Optional.of(failed.failure());
        case PollResult.Read read -> Optional.empty();
      };
    } catch (RequestPermission.PermissionLost e) {
      return Optional.empty();
    }
  }
}
