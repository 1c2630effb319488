package dev.flyball.ops.console.page;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.console.view.Summary.SessionTotals;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.telemetry.LedgerHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The view of what happens now.
 *
 * @param live sessions that the viewer may see, longest running first
 * @param waiting items that wait for a session, first ones first
 * @param sources all that were polled
 * @param givenUp items that were given up in the last day, newest first
 * @param lastHour sessions that ended in the last hour
 * @param caps of scopes, the global one among them
 * @param today what was spent, and the budgets
 * @param savedMicros estimate of what triage and known snapshots did not cost today
 * @param page which part of the live sessions is shown, from 0
 */
public record NowPage(
    Summary summary,
    List<RunningSession> live,
    List<WaitingRow> waiting,
    List<SourceStatus> sources,
    List<ItemRow> givenUp,
    SessionTotals lastHour,
    List<ScopeCap> caps,
    DaySpend today,
    long savedMicros,
    int page,
    Instant now) {
  /** Most sessions on one page. */
  public static final int PAGE = 100;

  /** Above this cap, used slots are a bar and not one box each. */
  private static final int BOXES = 24;

  /** The sessions of this page. */
  public List<RunningSession> sessions() {
    return live.stream().skip((long) page * PAGE).limit(PAGE).toList();
  }

  /** One box for each slot, true if it is used; empty if there are too many to draw. */
  public List<Boolean> slots() {
    int boxes = Math.max(summary.cap(), summary.live());
    return boxes > BOXES
        ? List.of()
        : IntStream.range(0, boxes).mapToObj(it -> it < summary.live()).toList();
  }

  /** Items that are not settled and neither wait for a session nor have one. */
  public String earlier() {
    long triage = count("new") + count("triaging");
    String line =
        Stream.of(
                triage == 0 ? "" : Display.grouped(triage) + " in triage",
                count("failed") == 0 ? "" : Display.grouped(count("failed")) + " to be retried")
            .filter(each -> !each.isEmpty())
            .collect(Collectors.joining(", "));
    return line.isEmpty() ? "for a session" : line;
  }

  private long count(String state) {
    return summary.items().getOrDefault(state, 0L);
  }

  /** What a person should look at, worst first; pauses have a separate place. */
  public List<Problem> problems(Chrome chrome) {
    Set<String> shown =
        Stream.concat(
                Stream.of(LedgerHealth.PAUSE, BrokenInvariant.CODE),
                sources.stream().filter(SourceStatus::failing).map(SourceStatus::source))
            .collect(Collectors.toSet());
    return Stream.of(
            summary.broken().stream()
                .map(it ->
                    new Problem(
                        "bad",
                        "An invariant is broken",
                        Display.line(it, Display.REASON),
                        null,
                        null)),
            Problem.reported(chrome, shown),
            Problem.sources(sources),
            Problem.givenUp(givenUp),
            Problem.silent(live, now))
        .flatMap(it -> it)
        .toList();
  }

  /** The scopes that exist, for a form that asks for one. */
  public List<String> scopes() {
    return Stream.concat(
            Stream.of(Scope.GLOBAL),
            sources.stream()
                .map(SourceStatus::source)
                .flatMap(it -> Stream.of("tenant:" + TenantScope.tenantOf(it), "source:" + it)))
        .distinct()
        .toList();
  }

  /** Why no session runs, where none does. */
  public String idle() {
    if (summary.cap() == 0) {
      return "No session is running: the cap is 0.";
    }
    if (!summary.pauses().isEmpty()) {
      return "No session is running: starting sessions is paused.";
    }
    return summary.backlog() == 0
        ? "No session is running. Nothing waits. " + PollTimes.next(sources, now)
        : "No session is running yet.";
  }

  /** What a session's agent does. */
  public static String progress(RunningSession session, Instant now) {
    if (session.pid() == null) {
      return "starting";
    }
    if (session.progressAt() == null) {
      return "no output yet";
    }
    String age = Display.age(session.progressAt(), now);
    return session.silent(now) ? "silent for " + age : "output " + age + " ago";
  }

  /** The reason why an item waits as one line, with the time at which it ends if that is known. */
  public static String line(ItemStatus.Reason reason, Instant now) {
    Instant until = reason.until();
    String label = Display.words(reason.reason().label());
    // Some details begin with what the label says.
    String start = reason.detail().startsWith(label) ? "" : label;
    return start
        + (until == null ? "" : " for another " + TimeSpan.remaining(Duration.between(now, until)))
        + (start.isEmpty() || reason.detail().isBlank() ? "" : ": ")
        + Display.line(reason.detail(), Display.REASON);
  }
}
