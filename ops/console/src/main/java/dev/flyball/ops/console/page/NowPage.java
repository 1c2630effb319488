package dev.flyball.ops.console.page;

import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The view of what happens now.
 *
 * @param live sessions that the viewer may see, longest running first
 * @param upcoming items that wait for a session, and the next poll
 * @param lastHour sessions that ended in the last hour, by outcome
 * @param spend what was spent
 * @param limits caps and budgets of scopes
 * @param page which part of the live sessions is shown, from 0
 */
public record NowPage(
    Summary summary,
    List<RunningSession> live,
    Upcoming upcoming,
    Map<String, Long> lastHour,
    Spend spend,
    ScopeLimits limits,
    int page,
    Instant now) {
  /** Most sessions on one page. */
  public static final int PAGE = 100;

  /** Most reasons why it is not healthy. */
  private static final int REASONS = 8;

  /** Above this cap, used slots are a bar and not one box each. */
  private static final int BOXES = 24;

  public NowPage {
    live = List.copyOf(live);
    lastHour = Map.copyOf(lastHour);
  }

  /** The sessions of this page. */
  public List<LiveRow> sessions() {
    return live.stream()
        .skip((long) page * PAGE)
        .limit(PAGE)
        .map(it -> new LiveRow(it, now))
        .toList();
  }

  /** The address of the previous page of sessions; empty if this is the first. */
  public String previous() {
    return page == 0 ? "" : "/?page=" + (page - 1);
  }

  /** The address of the next page of sessions; empty if this is the last. */
  public String following() {
    return (page + 1) * PAGE >= live.size() ? "" : "/?page=" + (page + 1);
  }

  /** Which sessions this page shows, of how many. */
  public String range() {
    int from = page * PAGE;
    return (from + 1)
        + " to "
        + Math.min(from + PAGE, live.size())
        + " of "
        + Display.grouped(live.size());
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

  /** Why it is not healthy, without what the page already says; the rest is counted. */
  public List<String> unhealthy(List<String> reasons) {
    var said = new HashSet<>(summary.broken());
    summary.pauses().forEach(pause -> said.add(pause.line()));
    List<String> others = reasons.stream().filter(it -> !said.contains(it)).toList();
    return others.size() <= REASONS
        ? others
        : Stream.concat(
                others.stream().limit(REASONS),
                Stream.of((others.size() - REASONS) + " more reasons: see /health"))
            .toList();
  }

  /** How many sessions ended in the last hour. */
  public long endedLastHour() {
    return lastHour.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How they ended. */
  public String outcomes() {
    return lastHour.isEmpty()
        ? "no session ended"
        : lastHour.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .map(it -> it.getValue() + " " + Display.words(it.getKey()))
            .collect(Collectors.joining(", "));
  }

  /** Processes of all live sessions. */
  public long processes() {
    return live.stream().map(RunningSession::processes).mapToLong(it -> it == null ? 0 : it).sum();
  }

  /** Runners whose gate is closed. */
  public long closedGates() {
    return summary.runners().stream().filter(it -> it.refusing() != null).count();
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
        ? "No session is running. Nothing waits. " + upcoming.poll()
        : "No session is running yet.";
  }
}
