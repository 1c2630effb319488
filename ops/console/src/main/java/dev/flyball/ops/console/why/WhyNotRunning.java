package dev.flyball.ops.console.why;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks the ledger's fold whether a claim for an item would take effect now, and whether a runner
 * exists that would make it. Pure.
 *
 * @param ledger as far as it was read
 * @param now the time by which pauses end and runners count as silent; near the broker's clock
 * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars, where
 *     no live runner announces it
 */
public record WhyNotRunning(LedgerState ledger, Instant now, Map<String, Long> reserves) {
  /** Placeholder for a session, a runner or a request where only scopes matter. */
  private static final String ANY = "-";

  /**
   * Why an item stays in its state.
   *
   * @param wanted its waiting request, null if none was read
   * @param lost what its partition of session-requests lost, null if nothing
   */
  public List<Reason> reasons(
      ItemKey item, ItemState state, @Nullable WaitingRequest wanted, @Nullable LostTail lost) {
    Optional<Lease> lease = ledger.leaseOf(item);
    if (lease.isPresent()) {
      Lease live = lease.get();
      Instant since = Instant.ofEpochMilli(live.claimedMs());
      return List.of(runs(live.session(), live.runner(), since, live.attempt()));
    }
    return switch (state.phase()) {
      case ItemPhase.New p -> one(Word.TRIAGE, "seen, not yet sent to triage");
      case ItemPhase.Triaging p ->
          List.of(
              new Reason(
                  Word.TRIAGE,
                  "asked whether it deserves a session since "
                      + p.since()
                      + ", for the "
                      + nth(p.asked())
                      + " time; "
                      + (p.waits() == null ? "" : p.waits() + "; ")
                      + "checked again at "
                      + p.due()));
      case ItemPhase.Queued p ->
          lost == null ? waiting(item, p, wanted) : one(Word.REQUESTS_LOST, lost.text());
      case ItemPhase.Running p ->
          one(Word.ENDING, "session " + p.session() + " on " + p.runner() + " has just ended");
      case ItemPhase.Failed p ->
          List.of(
              new Reason(
                  Word.BACKING_OFF,
                  null,
                  p.due(),
                  "attempt " + p.attempts().attempt() + " ended: " + p.reason()));
      case ItemPhase.Analyzed p -> one(Word.SETTLED, "analyzed by session " + p.session());
      case ItemPhase.Skipped p -> one(Word.SETTLED, "skipped: " + p.reason());
      case ItemPhase.Dead p -> one(Word.SETTLED, "dead: " + p.reason());
      case ItemPhase.Cancelled p -> one(Word.SETTLED, "cancelled: " + p.reason());
      case ItemPhase.Closed p -> one(Word.SETTLED, "closed: " + p.reason());
    };
  }

  private List<Reason> waiting(
      ItemKey item, ItemPhase.Queued queued, @Nullable WaitingRequest wanted) {
    if (ledger.unknownRules().isPresent()) {
      return one(
          Word.UNKNOWN_RULES,
          "the ledger uses rules " + ledger.rules() + ", this program knows " + LedgerState.RULES);
    }
    String request = queued.outstanding().request();
    String provider = wanted == null ? null : wanted.provider();
    Route route = queued.outstanding().route();
    String profile = route == null ? Route.DEFAULT : route.profile();
    long reserve = ledger.reserves(reserves, now).getOrDefault(profile, 0L);
    var reasons = new ArrayList<Reason>();
    new ClaimRule(ledger)
        .all(claim(item, request, provider, reserve), now)
        .forEach(against -> reasons.add(reason(against)));
    if (reasons.isEmpty() && ProviderReturn.waits(ledger, provider, now)) {
      reasons.add(returning(String.valueOf(provider)));
    }
    boolean inLine = reasons.stream().allMatch(it -> it.reason() == Word.AT_CAP);
    Optional<Reason> refusal = refusal(profile, item.sourceKey());
    refusal.ifPresent(reasons::add);
    if (inLine && wanted != null) {
      behind(item.tenant(), wanted).ifPresent(reasons::add);
    }
    if (reasons.isEmpty()) {
      reasons.add(
          wanted == null || !wanted.request().equals(request)
              ? new Reason(Word.ENDING, "its request is not in session-requests, or not read yet")
              : new Reason(Word.NEXT, "nothing blocks it: a runner claims it in a moment"));
    }
    if (refusal.isEmpty()) {
      declining(profile, item.sourceKey()).ifPresent(reasons::add);
    }
    return reasons;
  }

  /** Requests that come earlier and that a runner may claim; empty if there are none. */
  private Optional<Reason> behind(String tenant, WaitingRequest wanted) {
    long count =
        wanted.ahead().stream()
            .filter(each -> free(ItemKey.parse(each.source() + "/-"), each.provider()))
            .filter(each -> refusal(each.profile(), each.source()).isEmpty())
            .mapToLong(WaitingRequest.Ahead::count)
            .sum();
    return count == 0
        ? Optional.empty()
        : Optional.of(
            new Reason(
                Word.QUEUED,
                "requests of tenant " + tenant + " ahead, by priority and age: " + count));
  }

  /** Whether the ledger permits a claim of this source, except for the global cap. */
  private boolean free(ItemKey any, @Nullable String provider) {
    return ledger
        .whyNot(claim(any, ANY, provider, 0), now)
        .filter(whyNot -> !(whyNot instanceof WhyNot.AtCap cap && cap.scope().equals(Scope.GLOBAL)))
        .isEmpty();
  }

  private static Reason returning(String provider) {
    return new Reason(
        Word.PROVIDER,
        Scope.provider(provider),
        null,
        "after its limit, sessions of provider "
            + provider
            + " start one by one, each after the one before has answered");
  }

  /** The claim that a runner would append now if it had read everything. */
  private static LedgerEntry.Claim claim(
      ItemKey item, String request, @Nullable String provider, long reserve) {
    return new LedgerEntry.Claim(
        request,
        new Position(0, 0),
        Long.MAX_VALUE,
        item,
        1,
        ANY,
        ANY,
        provider,
        LedgerState.RULES,
        reserve);
  }

  private static Reason reason(WhyNot whyNot) {
    String text = whyNot.text();
    return switch (whyNot) {
      case WhyNot.AtCap cap ->
          new Reason(
              Word.AT_CAP,
              cap.scope(),
              null,
              cap.cap() == 0 ? cap.scope() + " cap is 0: no session may start" : text);
      case WhyNot.Paused paused ->
          new Reason(
              paused.scope().startsWith("provider:") ? Word.PROVIDER : Word.PAUSED,
              paused.scope(),
              paused.until(),
              text);
      case WhyNot.OverBudget budget -> new Reason(Word.BUDGET, budget.scope(), null, text);
      case WhyNot.RequestUsed used -> new Reason(Word.ENDING, text);
      case WhyNot.ItemBusy busy -> new Reason(Word.RUNS, text);
      case WhyNot.BelowFloor floor -> new Reason(Word.ENDING, text);
      case WhyNot.Unfit unfit -> new Reason(Word.UNKNOWN_RULES, text);
    };
  }

  /** Which agent the outstanding request asks for; null if there is none, or it names none. */
  public static @Nullable Route route(ItemPhase phase) {
    return switch (phase) {
      case ItemPhase.Queued p -> p.outstanding().route();
      case ItemPhase.Running p -> p.outstanding().route();
      case ItemPhase.New _, ItemPhase.Triaging _, ItemPhase.Failed _, ItemPhase.Analyzed _ -> null;
      case ItemPhase.Skipped _, ItemPhase.Dead _, ItemPhase.Cancelled _, ItemPhase.Closed _ -> null;
    };
  }

  /** The reason of an item that has a live session. */
  public static Reason runs(String session, String runner, Instant since, int attempt) {
    return new Reason(
        Word.RUNS,
        "session " + session + " on " + runner + " since " + since + ", attempt " + attempt);
  }

  private static List<Reason> one(Word word, String detail) {
    return List.of(new Reason(word, detail));
  }

  private static String nth(int n) {
    return switch (n) {
      case 1 -> "first";
      case 2 -> "second";
      case 3 -> "third";
      default -> n + "th";
    };
  }

  /** Why no runner would claim a request whatever the ledger permits; empty if one would. */
  private Optional<Reason> refusal(String profile, String source) {
    List<LedgerEntry.Runner> alive = ledger.live(now);
    if (alive.isEmpty()) {
      return Optional.of(new Reason(Word.NO_RUNNER, silence()));
    }
    List<LedgerEntry.Runner> able = alive.stream().filter(each -> each.has(profile)).toList();
    if (able.isEmpty()) {
      return Optional.of(new Reason(Word.NO_PROFILE, "no runner has profile " + profile));
    }
    if (able.stream().anyMatch(each -> ledger.refusal(each, profile, source).isEmpty())) {
      return Optional.empty();
    }
    boolean unknown =
        able.stream()
                .flatMap(each -> each.declines(profile, source).stream())
                .filter(each -> each.code().equals(LedgerEntry.Decline.UNKNOWN_SOURCE))
                .count()
            == able.size();
    return Optional.of(
        unknown
            ? new Reason(Word.NO_SOURCE, "no runner knows source " + source)
            : new Reason(
                Word.RUNNERS_REFUSE,
                "no runner accepts sessions: " + each(it -> ledger.refusal(it, profile, source))));
  }

  /** Which runners leave a request to others; empty if none does. */
  private Optional<Reason> declining(String profile, String source) {
    String each = each(it -> it.fault(profile, source));
    return each.isEmpty()
        ? Optional.empty()
        : Optional.of(new Reason(Word.RUNNER_DECLINES, "left to other runners: " + each));
  }

  /** The live runners that have something to say. */
  private String each(Function<LedgerEntry.Runner, Optional<String>> says) {
    return ledger.live(now).stream()
        .flatMap(runner -> says.apply(runner).map(it -> runner.id() + ": " + it).stream())
        .collect(Collectors.joining(", "));
  }

  private String silence() {
    return ledger.runners().stream()
        .flatMap(runner -> ledger.heard(runner.id()).stream())
        .max(Instant::compareTo)
        .map(at -> "no runner is alive; the last one was seen at " + at)
        .orElse("no runner was ever seen");
  }
}
