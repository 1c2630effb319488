package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.page.NowPage.WaitingRow;
import dev.flyball.ops.console.page.PollsPage.SourceRow;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.ops.telemetry.LedgerHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The view of what happens now.
 *
 * @param live sessions that the viewer may see, longest running first
 * @param upcoming items that wait for a session, and the next poll
 * @param lastHour sessions that ended in the last hour, by outcome
 * @param limits caps and budgets of scopes, and what was spent today
 * @param savedMicros estimate of what triage and known snapshots did not cost today
 * @param page which part of the live sessions is shown, from 0
 */
public record NowPage(
    Summary summary,
    List<RunningSession> live,
    Upcoming upcoming,
    Map<String, Long> lastHour,
    ScopeLimits limits,
    long savedMicros,
    int page,
    Instant now) {
  /** Most sessions on one page. */
  public static final int PAGE = 100;

  private static final Set<String> LISTED = Set.of(LedgerHealth.PAUSE, BrokenInvariant.CODE);

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

  /** Why it is not healthy, without the pauses and invariants, which the page lists; bounded. */
  public List<String> unhealthy(List<Condition> conditions) {
    List<String> others =
        conditions.stream().filter(it -> !LISTED.contains(it.code())).map(Condition::text).toList();
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

  /** One live session as a row. */
  public record LiveRow(RunningSession session, Instant now) {
    /** From this share of its wall clock on, a session is shown as late. */
    private static final double LATE = 0.75;

    private static final Duration QUIET = Duration.ofSeconds(60);

    /** The item's title; its key while the item is not known. */
    public String title() {
      String title = session.title();
      return title == null ? session.item() : title;
    }

    /** The item's tenant. */
    public String tenant() {
      return TenantScope.tenantOf(session.item());
    }

    /** Whether most of its time is over. */
    public boolean late() {
      return session.elapsedMs() > LATE * session.limitMs();
    }

    /** Time since its claim. */
    public String elapsed() {
      return Display.clock(session.elapsedMs());
    }

    /** Its wall clock. */
    public String limit() {
      return Display.clock(session.limitMs());
    }

    /** What its agent does. */
    public String progress() {
      if (session.pid() == null) {
        return "starting";
      }
      Instant at = session.progressAt();
      return at == null
          ? "no output yet"
          : (silent() ? "silent for " : "output ")
              + TimeSpan.age(Duration.between(at, now))
              + (silent() ? "" : " ago");
    }

    /** The colour of that. */
    public String tone() {
      return session.hung() || silent() ? "warn" : "run";
    }

    /** Processes, and a dash while unknown. */
    public String processes() {
      Long known = session.processes();
      return known == null ? "-" : Display.grouped(known);
    }

    /** The process id, and a dash while unknown. */
    public String pid() {
      Long known = session.pid();
      return known == null ? "-" : known.toString();
    }

    private boolean silent() {
      Instant at = session.progressAt();
      return session.hung() || (at != null && Duration.between(at, now).compareTo(QUIET) > 0);
    }
  }

  /** An item that waits, with the reasons. */
  public record WaitingRow(ItemRow item, List<ItemStatus.Reason> reasons, Instant now) {
    public WaitingRow {
      reasons = List.copyOf(reasons);
    }

    /** How long it waits. */
    public String waiting() {
      Instant since = item.waitingSince();
      return since == null ? "-" : TimeSpan.age(Duration.between(since, now));
    }

    /** One line for each reason, with the time at which it ends where that is known. */
    public List<String> lines() {
      return reasons.stream().map(it -> line(it, now)).toList();
    }

    /** A reason as one line. */
    static String line(ItemStatus.Reason reason, Instant now) {
      Instant until = reason.until();
      String label = Display.words(reason.reason().label());
      // Some details begin with what the label says.
      String start = reason.detail().startsWith(label) ? "" : label;
      return start
          + (until == null
              ? ""
              : " for another " + TimeSpan.remaining(Duration.between(now, until)))
          + (start.isEmpty() || reason.detail().isBlank() ? "" : ": ")
          + Display.line(reason.detail(), Display.REASON);
    }
  }

  /**
   * What comes next: items that wait for a session, and the polls that bring more.
   *
   * @param items first ones first, each with the reason why it waits
   * @param sources all that were polled
   */
  public record Upcoming(List<WaitingRow> items, List<SourceStatus> sources, Instant now) {
    public Upcoming {
      items = List.copyOf(items);
      sources = List.copyOf(sources);
    }

    /** When the next poll is, as a sentence; how to add a source where none was ever polled. */
    public String poll() {
      if (sources.isEmpty()) {
        return "No source was polled yet. List one below sources in flyball.yaml; then start"
            + " flyball up, or flyball producer.";
      }
      List<SourceRow> rows = sources.stream().map(it -> new SourceRow(it, now)).toList();
      return rows.stream()
          .filter(it -> !it.held() && it.status().next() != null)
          .min(Comparator.comparing(it -> Objects.requireNonNull(it.status().next())))
          .map(Upcoming::of)
          .orElseGet(() ->
              rows.stream()
                  .filter(SourceRow::held)
                  .findFirst()
                  .map(this::heldBack)
                  .orElse(
                      "Last poll: "
                          + rows.getFirst().name()
                          + ", "
                          + rows.getFirst().last()
                          + "."));
    }

    private static String of(SourceRow row) {
      String next = row.next();
      return next.startsWith("in ")
          ? "Next poll of " + row.name() + " " + next + "."
          : "The next poll of " + row.name() + " is due.";
    }

    private String heldBack(SourceRow row) {
      Instant until = row.status().next();
      return "Polls of "
          + row.name()
          + " are held back"
          + (until == null || !until.isAfter(now)
              ? ""
              : " for another " + TimeSpan.remaining(Duration.between(now, until)))
          + (row.status().reason() == null
              ? "."
              : ": " + Display.line(row.status().reason(), Display.REASON));
    }
  }
}
