package dev.flyball.triage.item;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase.Attempts;
import dev.flyball.triage.item.MachineSettings.RetryLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what follows an unfinished session. */
sealed interface Retry {

  /**
   * A new request after this time; zero means in the same decision.
   *
   * @param used the attempts used so far
   */
  record Again(Attempts used, Duration after) implements Retry {}

  /** No further request. */
  record GivenUp(String reason) implements Retry {}

  /**
   * Decides by outcome and limits. A fault of the runner or its settings uses up nothing, whatever
   * the outcome.
   *
   * @param failure why it did not answer; null if its runner did not report it, which is retried
   *     like a transient failure
   * @param spent whether the session used tokens
   * @param request the ended request's id; jitter derives from it, so a repeated decision is the
   *     same
   */
  static Retry after(
      Outcome outcome,
      @Nullable Failure failure,
      String reason,
      boolean spent,
      Attempts a,
      String request,
      RetryLimits limits) {
    if (failure != null && failure.kind() == Failure.Kind.RUNNER && outcome != Outcome.LOST) {
      // Its runner declines such items from now on, so no wait is needed to keep the item from
      // going back there. One that cost money waits: where the item alone meets the fault, it
      // would be paid for again and again.
      var used =
          new Attempts(
              a.attempt(), a.failures(), a.lost(), spent ? a.interrupted() + 1 : 0, a.since());
      return new Again(used, spent ? quick(used.interrupted()) : Duration.ZERO);
    }
    return switch (outcome) {
      case FAILED, TIMED_OUT -> {
        var used = new Attempts(a.attempt(), a.failures() + 1, a.lost(), 0, a.since());
        yield switch (kind(outcome, failure)) {
          case PERMANENT -> new GivenUp("permanent: " + reason);
          case POISON -> new GivenUp("poison: " + reason);
          case TRANSIENT, PROVIDER, RUNNER ->
              used.failures() >= limits.attempts()
                  ? new GivenUp(
                      (used.failures() == 1 ? "1 attempt" : used.failures() + " attempts")
                          + " failed, at last: "
                          + reason)
                  : new Again(used, backOff(used.failures(), request, limits));
        };
      }
      case LOST -> {
        var used =
            new Attempts(a.attempt(), a.failures(), a.lost() + 1, a.interrupted(), a.since());
        yield used.lost() >= limits.lost()
            ? new GivenUp("lost " + used.lost() + " times, at last: " + reason)
            : new Again(used, quick(used.lost()));
      }
      case INTERRUPTED -> {
        var used =
            new Attempts(a.attempt(), a.failures(), a.lost(), a.interrupted() + 1, a.since());
        yield new Again(used, quick(used.interrupted()));
      }
      case COMPLETED, CANCELLED ->
          throw new IllegalArgumentException(outcome + " is not tried again");
    };
  }

  /** The next attempt may meet a deadline, whatever else was reported. */
  private static Failure.Kind kind(Outcome outcome, @Nullable Failure failure) {
    return outcome == Outcome.TIMED_OUT || failure == null
        ? Failure.Kind.TRANSIENT
        : failure.kind();
  }

  /** {@code backOff * 4^(n-1)} up to the ceiling, times 0.75 to 1.25. */
  private static Duration backOff(int failures, String request, RetryLimits limits) {
    double factor = Math.pow(4, Math.min(failures - 1, 20));
    double millis =
        Math.min(limits.backOff().toMillis() * factor, (double) RetryLimits.CEILING.toMillis());
    double jitter = 0.75 + Math.floorMod(request.hashCode() * 0x9E3779B9, 1001) / 2000.0;
    return Duration.ofMillis(Math.round(millis * jitter));
  }

  /** Zero for the first, then the quick interval doubled each time, up to the ceiling. */
  private static Duration quick(int times) {
    if (times <= 1) {
      return Duration.ZERO;
    }
    Duration grown = RetryLimits.QUICK.multipliedBy(1L << Math.min(times - 2, 20));
    return grown.compareTo(RetryLimits.CEILING) > 0 ? RetryLimits.CEILING : grown;
  }
}
