package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.page.NowPage.Upcoming;
import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The polls of all sources, and the newest ones of one source.
 *
 * @param selected whose polls are listed; empty for none
 * @param polls newest first
 */
public record PollsPage(
    List<SourceStatus> sources, String selected, List<PollRow> polls, Instant now) {
  /** Polls of one source that are listed; as many are kept. */
  public static final int POLLS = 100;

  public PollsPage {
    sources = List.copyOf(sources);
    polls = List.copyOf(polls);
  }

  /** One row for each source. */
  public List<SourceRow> rows() {
    return sources.stream().map(it -> new SourceRow(it, now)).toList();
  }

  /** What to say where no source is listed. */
  public String nothing() {
    return new Upcoming(List.of(), sources, now).poll();
  }

  /** One source and its newest poll as a row. */
  public record SourceRow(SourceStatus status, Instant now) {
    /** The source's name, {@code tenant/source}. */
    public String name() {
      return Display.line(status.source(), Display.TITLE);
    }

    /** Its tenant. */
    public String tenant() {
      return TenantScope.tenantOf(status.source());
    }

    /** The address of its polls. */
    public String polls() {
      return PageLinks.polls(status.source());
    }

    /** How long ago its newest poll began, or ended if its start is not known. */
    public String last() {
      Instant at = at(status.last());
      return at == null ? "-" : ago(at);
    }

    /** How long ago a poll of it finished. */
    public String lastSuccess() {
      Instant at = status.lastSuccess();
      return at == null ? "never" : ago(at);
    }

    /** When its next poll is expected. */
    public String next() {
      Instant at = status.next();
      if (status.last().result() == null) {
        return "polling";
      }
      if (at == null) {
        return "-";
      }
      return at.isAfter(now) ? "in " + TimeSpan.remaining(Duration.between(now, at)) : "due";
    }

    /** Whether calls to its tracker are held back after failures. */
    public boolean held() {
      return !status.breaker().equals("closed");
    }

    /** Why they are held back, or why its newest poll did not finish; empty if it did. */
    public String reason() {
      String held = status.reason();
      return Display.line(
          held != null ? "calls are held back: " + held : status.last().reason(), Display.REASON);
    }

    /** The result of a poll as a word. */
    public static String result(PollRow poll) {
      String result = poll.result();
      return result == null ? "not ended" : Display.words(result);
    }

    /** The colour of that. */
    public static String tone(PollRow poll) {
      String result = poll.result();
      return result == null
          ? "run"
          : switch (result) {
            case "finished" -> "ok";
            case "failed" -> "bad";
            default -> "warn";
          };
    }

    /** What a poll saw, in a few words. */
    public static String seen(PollRow poll) {
      return Display.grouped(poll.polled())
          + " seen, "
          + Display.grouped(poll.changed())
          + " changed"
          + (poll.invalid() == 0 ? "" : ", " + Display.grouped(poll.invalid()) + " unreadable");
    }

    /** How long a poll took. */
    public static String took(PollRow poll) {
      Long millis = poll.tookMs();
      if (millis == null) {
        return "-";
      }
      return millis < 1_000 ? Math.max(0, millis) + " ms" : Display.clock(millis);
    }

    /** When a poll began, or ended if its start is not known. */
    public static String when(PollRow poll) {
      Instant at = at(poll);
      return at == null ? "-" : Display.day(at) + Display.time(at).substring(5);
    }

    private static @Nullable Instant at(PollRow poll) {
      return poll.startedAt() == null ? poll.endedAt() : poll.startedAt();
    }

    private String ago(Instant at) {
      return TimeSpan.age(Duration.between(at, now)) + " ago";
    }
  }
}
