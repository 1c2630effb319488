package dev.flyball.ops.console.why;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Route;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The runners, and whether one of them would claim a request. Pure. */
record Runners(LedgerState ledger, Instant now) {

  /** Why no runner would claim it whatever the ledger permits; empty if one would. */
  Optional<Reason> refusal(String profile) {
    List<LedgerEntry.Runner> alive =
        ledger.runners().stream().filter(runner -> !silent(runner.id())).toList();
    if (alive.isEmpty()) {
      return Optional.of(new Reason(Word.NO_RUNNER, null, null, silence()));
    }
    List<LedgerEntry.Runner> live = alive.stream().filter(runner -> has(runner, profile)).toList();
    if (live.isEmpty()) {
      return Optional.of(
          new Reason(Word.NO_PROFILE, null, null, "no runner has profile " + profile));
    }
    if (live.stream().anyMatch(runner -> refusal(runner) == null)) {
      return Optional.empty();
    }
    String each =
        live.stream()
            .map(runner -> runner.id() + ": " + refusal(runner))
            .collect(Collectors.joining(", "));
    return Optional.of(
        new Reason(Word.RUNNERS_REFUSE, null, null, "no runner accepts sessions: " + each));
  }

  private static boolean has(LedgerEntry.Runner runner, String profile) {
    List<String> further = runner.profiles();
    return profile.equals(Route.DEFAULT) || (further != null && further.contains(profile));
  }

  private @Nullable String refusal(LedgerEntry.Runner runner) {
    if (runner.refusing() != null) {
      return runner.refusing();
    }
    long taken =
        ledger.leases().stream().filter(lease -> lease.runner().equals(runner.id())).count();
    return taken >= runner.slots() ? taken + " of " + runner.slots() + " slots taken" : null;
  }

  /**
   * Whether a runner counts as silent. A runner announces itself every two thirds of a lease, and
   * counts as live for three times as long.
   */
  private boolean silent(String runner) {
    Duration patience = ledger.leaseTime().multipliedBy(2);
    return ledger.heard(runner).map(at -> at.plus(patience).isBefore(now)).orElse(true);
  }

  private String silence() {
    return ledger.runners().stream()
        .flatMap(runner -> ledger.heard(runner.id()).stream())
        .max(Instant::compareTo)
        .map(at -> "no runner is alive; the last one was seen at " + at)
        .orElse("no runner was ever seen");
  }
}
