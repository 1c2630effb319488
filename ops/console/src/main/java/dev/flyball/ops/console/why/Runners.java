package dev.flyball.ops.console.why;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runners, and whether one of them would claim a request. Pure. */
record Runners(LedgerState ledger, Instant now) {

  /** Why no runner would claim it whatever the ledger permits; empty if one would. */
  Optional<Reason> refusal(String profile, String source) {
    List<LedgerEntry.Runner> alive = ledger.live(now);
    if (alive.isEmpty()) {
      return Optional.of(new Reason(Word.NO_RUNNER, null, null, silence()));
    }
    List<LedgerEntry.Runner> live = alive.stream().filter(runner -> runner.has(profile)).toList();
    if (live.isEmpty()) {
      return Optional.of(
          new Reason(Word.NO_PROFILE, null, null, "no runner has profile " + profile));
    }
    if (live.stream().anyMatch(runner -> refusal(runner, profile, source) == null)) {
      return Optional.empty();
    }
    if (live.stream().allMatch(runner -> unknown(runner, profile, source))) {
      return Optional.of(
          new Reason(Word.NO_SOURCE, null, null, "no runner knows source " + source));
    }
    String each =
        alive.stream()
            .map(runner ->
                runner.id()
                    + ": "
                    + (runner.has(profile) ? refusal(runner, profile, source) : lacks(profile)))
            .collect(Collectors.joining(", "));
    return Optional.of(
        new Reason(Word.RUNNERS_REFUSE, null, null, "no runner accepts sessions: " + each));
  }

  /**
   * Which runners leave the request to others, because of a fault of theirs or of their settings;
   * empty if none does.
   */
  Optional<Reason> declining(String profile, String source) {
    String each =
        ledger.live(now).stream()
            .flatMap(runner ->
                runner.has(profile)
                    ? runner.declines(profile, source).stream()
                        .map(declined -> runner.id() + ": " + text(declined))
                    : Stream.of(runner.id() + ": " + lacks(profile)))
            .collect(Collectors.joining(", "));
    return each.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Reason(Word.RUNNER_DECLINES, null, null, "left to other runners: " + each));
  }

  private static String lacks(String profile) {
    return "has no profile " + profile;
  }

  private static boolean unknown(LedgerEntry.Runner runner, String profile, String source) {
    return runner
        .declines(profile, source)
        .filter(each -> each.code().equals(LedgerEntry.Decline.UNKNOWN_SOURCE))
        .isPresent();
  }

  private static String text(LedgerEntry.Decline declined) {
    return declined.code() + ": " + declined.reason();
  }

  private @Nullable String refusal(LedgerEntry.Runner runner, String profile, String source) {
    Optional<LedgerEntry.Decline> declined = runner.declines(profile, source);
    if (declined.isPresent()) {
      return text(declined.get());
    }
    if (runner.refusing() != null) {
      return runner.refusing();
    }
    long taken =
        ledger.leases().stream().filter(lease -> lease.runner().equals(runner.id())).count();
    return taken >= runner.slots() ? taken + " of " + runner.slots() + " slots taken" : null;
  }

  private String silence() {
    return ledger.runners().stream()
        .flatMap(runner -> ledger.heard(runner.id()).stream())
        .max(Instant::compareTo)
        .map(at -> "no runner is alive; the last one was seen at " + at)
        .orElse("no runner was ever seen");
  }
}
