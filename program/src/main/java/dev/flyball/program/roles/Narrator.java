package dev.flyball.program.roles;

import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.PlainText;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to a person what a service does, one line each: what a poll brought, the start and the
 * end of a session, a new problem. It reads the console's projection, as {@code ps} does. Used by
 * one thread.
 */
public final class Narrator {
  private static final Logger LOG = LoggerFactory.getLogger(Narrator.class);

  /** Most lines of one look; the others are counted. */
  static final int MOST = 20;

  private static final int TITLE = 60;
  private static final int REASON = 120;

  /** Rows that one look reads, more than there are new ones. */
  private static final int ROWS = 200;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** A problem that comes and goes is reported again after this time. */
  private static final Duration SAME_PROBLEM = Duration.ofMinutes(10);

  private final Path console;
  private final Supplier<String> runner;
  private final boolean ofPolls;
  private final Instant began;
  private final Consumer<String> say;
  private final Map<String, Instant> problems = new HashMap<>();

  /** What was said of the problems whose end is to be said, by their causes. */
  private final Map<String, String> lasting = new LinkedHashMap<>();

  /** What the newest looks found, the newest last, so that it is not printed again. */
  private final Set<String> printed = new LinkedHashSet<>();

  /** How many sessions this process's runner had at the last look. */
  private volatile int own;

  private long looked = System.nanoTime() - PAUSE.toNanos();

  /** When the service began to stop; null before. */
  private volatile @Nullable Instant stopping;

  /**
   * Reports only what happens from a time on.
   *
   * @param console the console's folder
   * @param runner gives the label of this process's runner, which has none before its first start
   * @param ofPolls whether it reports what polls brought
   * @param say takes a line
   */
  public Narrator(
      Path console, Supplier<String> runner, boolean ofPolls, Instant began, Consumer<String> say) {
    this.console = console;
    this.runner = runner;
    this.ofPolls = ofPolls;
    this.began = began;
    this.say = line -> say.accept(PlainText.line(line));
  }

  /**
   * What the projection shows at one time.
   *
   * @param runner the label of this process's runner
   */
  record Seen(
      String runner, List<PollRow> polls, List<RunningSession> live, List<EndedSession> ended) {

    private List<RunningSession> own() {
      return live.stream().filter(it -> it.runner().equals(runner)).toList();
    }
  }

  /** Reports what is new since the last look, unless that was just now. */
  public void look(Health health) {
    if (System.nanoTime() - looked >= PAUSE.toNanos()) {
      report(health);
    }
  }

  private void report(Health health) {
    Instant now = Instant.now();
    looked = System.nanoTime();
    List<String> lines = read(now).map(this::news).orElseGet(ArrayList::new);
    lines.addAll(troubles(health, now));
    lines.stream().limit(MOST).forEach(say);
    if (lines.size() > MOST) {
      say.accept("and " + (lines.size() - MOST) + " more; see ./flyball ps and ./flyball items");
    }
  }

  /** Reports that the service begins to stop. Any thread. */
  public void stopping(Duration drain) {
    stopping = Instant.now();
    String sessions = "stopping; " + CountedNoun.of(own, "session", "sessions");
    say.accept(
        own == 0
            ? "stopping"
            : drain.isZero()
                ? sessions + " ended first"
                : sessions
                    + " may go on for up to "
                    + TimeSpan.age(drain)
                    + ", or until the next such signal");
  }

  /** Reports how the last sessions ended, after the service has stopped; returns the last line. */
  public String stopped() {
    lasting.clear(); // A stop solves no problem.
    report(Health.healthy());
    return read(Instant.now()).map(this::end).orElse("stopped");
  }

  /** The last line: what the stop ended, and whether all their processes are gone. */
  String end(Seen seen) {
    Instant since = stopping;
    List<EndedSession> last =
        seen.ended.stream()
            .filter(it -> seen.runner.equals(it.runner()))
            .filter(it -> since != null && !it.endedAt().isBefore(since))
            .toList();
    boolean verified =
        seen.own().isEmpty() && last.stream().allMatch(it -> Objects.equals(it.survivors(), 0L));
    return "stopped; "
        + (last.isEmpty() ? "" : CountedNoun.of(last.size(), "session", "sessions") + " ended, ")
        + (verified ? "no agent is left" : "ask ./flyball sweep which processes are left");
  }

  private Optional<Seen> read(Instant now) {
    try (ConsoleView view = ConsoleView.open(console).orElse(null)) {
      return Optional.of(
          view == null
              ? new Seen("", List.of(), List.of(), List.of())
              : new Seen(
                  runner.get(),
                  view.polls(null, ROWS),
                  view.ps(now, Duration.ZERO),
                  view.ended(ROWS, null)));
    } catch (StartFailure e) {
      LOG.info("not read this time: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** What is new, one line each, in order of time within each kind. */
  List<String> news(Seen seen) {
    var lines = new LinkedHashMap<String, String>();
    seen.polls.reversed().stream()
        .filter(it -> ofPolls && it.changed() > 0 && sinceBegin(it.endedAt()))
        .forEach(it -> lines.put("poll " + it.poll(), polled(it)));
    // Ends first: they made room for what starts, or more sessions than the cap seem to run. A
    // short session was live in no look.
    for (EndedSession each : seen.ended.reversed()) {
      if (sinceBegin(each.startedAt())) {
        lines.put(
            "start " + each.session(),
            started(each.session(), each.item(), each.attempt(), each.title()));
      }
      if (sinceBegin(each.endedAt())) {
        lines.put("end " + each.session(), ended(each));
      }
    }
    seen.live.stream()
        .filter(it -> sinceBegin(it.since()))
        .forEach(it ->
            lines.put(
                "start " + it.session(),
                started(it.session(), it.item(), (long) it.attempt(), it.title())));
    own = seen.own().size();
    var fresh = new ArrayList<String>();
    lines.forEach((key, line) -> {
      if (!printed.remove(key)) {
        fresh.add(line);
      }
      printed.add(key);
    });
    printed.removeAll(List.copyOf(printed).subList(0, Math.max(0, printed.size() - 8 * ROWS)));
    return fresh;
  }

  /** Problems that are new, or were gone for long, and those that are over. */
  List<String> troubles(Health health, Instant now) {
    problems.values().removeIf(now.minus(SAME_PROBLEM)::isAfter);
    var lines = new ArrayList<String>();
    var present = new HashSet<String>();
    for (Health.Condition each : health.conditions()) {
      present.add(each.cause());
      if (!each.code().equals("starting") && problems.put(each.cause(), now) == null) {
        lasting.put(each.cause(), OneLine.of(each.text()));
        lines.add("problem: " + OneLine.of(each.text()));
      }
    }
    lasting.forEach((cause, text) -> {
      if (!present.contains(cause)) {
        lines.add("over: " + text);
      }
    });
    lasting.keySet().retainAll(present);
    return lines;
  }

  private boolean sinceBegin(@Nullable Instant time) {
    return time != null && !time.isBefore(began);
  }

  private static String polled(PollRow poll) {
    String items = CountedNoun.of(poll.polled(), "item", "items");
    String unreadable = poll.invalid() == 0 ? "" : ", " + poll.invalid() + " unreadable";
    return poll.source() + " polled: " + items + ", " + poll.changed() + " changed" + unreadable;
  }

  private static String started(
      String session, String item, @Nullable Long attempt, @Nullable String title) {
    String again = attempt != null && attempt > 1 ? ", attempt " + attempt : "";
    return "session " + brief(session) + " starts on " + item + again + titled(title);
  }

  private static String ended(EndedSession session) {
    return "session "
        + brief(session.session())
        + " of "
        + session.item()
        + " "
        + session.outcome()
        // Of one that was lost, or never started, it is not known how long its agent lived.
        + (session.runningMs() == 0
            ? ""
            : " after " + TimeSpan.age(Duration.ofMillis(session.runningMs())))
        + ", "
        + Dollars.rounded(session.costMicros())
        + " USD"
        + (session.reason() == null || session.outcome().equals("completed")
            ? ""
            : " (" + PlainText.cut(session.reason(), REASON) + ")")
        + titled(session.title());
  }

  /** As many characters as {@code logs} takes for a session. */
  private static String brief(String session) {
    return session.substring(0, Math.min(8, session.length()));
  }

  private static String titled(@Nullable String title) {
    return title == null || title.isBlank() ? "" : ": " + PlainText.cut(title, TITLE);
  }
}
