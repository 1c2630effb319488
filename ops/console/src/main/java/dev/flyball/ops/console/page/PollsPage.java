package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
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

  /** How long ago a source's newest poll began, or ended if its start is not known. */
  public static String last(SourceStatus source, Instant now) {
    return ago(at(source.last()), "-", now);
  }

  /** How long ago a poll of a source finished. */
  public static String lastSuccess(SourceStatus source, Instant now) {
    return ago(source.lastSuccess(), "never", now);
  }

  /** When a source's next poll is expected. */
  public static String next(SourceStatus source, Instant now) {
    Instant at = source.next();
    if (source.last().result() == null) {
      return "polling";
    }
    if (at == null) {
      return "-";
    }
    return at.isAfter(now) ? "in " + TimeSpan.remaining(Duration.between(now, at)) : "due";
  }

  /** Why a source's polls are held back, or why its newest one did not finish; empty if it did. */
  public static String reason(SourceStatus source) {
    String held = source.reason();
    return Display.line(
        held != null ? "calls are held back: " + held : source.last().reason(), Display.REASON);
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

  /** When the next poll is, as a sentence; how to add a source where none was ever polled. */
  public static String next(List<SourceStatus> sources, Instant now) {
    if (sources.isEmpty()) {
      return "No source was polled yet. List one below sources in flyball.yaml; then start"
          + " flyball up, or flyball producer.";
    }
    return sources.stream()
        .filter(it -> !it.held() && it.next() != null)
        .min(Comparator.comparing(it -> Objects.requireNonNull(it.next())))
        .map(it -> coming(it, now))
        .or(() ->
            sources.stream().filter(SourceStatus::held).findFirst().map(it -> heldBack(it, now)))
        .orElseGet(() -> {
          SourceStatus first = sources.getFirst();
          return "Last poll: " + name(first) + ", " + last(first, now) + ".";
        });
  }

  private static String coming(SourceStatus source, Instant now) {
    String next = next(source, now);
    return next.startsWith("in ")
        ? "Next poll of " + name(source) + " " + next + "."
        : "The next poll of " + name(source) + " is due.";
  }

  private static String heldBack(SourceStatus source, Instant now) {
    Instant until = source.next();
    return "Polls of "
        + name(source)
        + " are held back"
        + (until == null || !until.isAfter(now)
            ? ""
            : " for another " + TimeSpan.remaining(Duration.between(now, until)))
        + (source.reason() == null ? "." : ": " + Display.line(source.reason(), Display.REASON));
  }

  private static String name(SourceStatus source) {
    return Display.line(source.source(), Display.TITLE);
  }

  /** When a poll began, or ended if its start is not known. */
  public static @Nullable Instant at(PollRow poll) {
    return poll.startedAt() == null ? poll.endedAt() : poll.startedAt();
  }

  private static String ago(@Nullable Instant at, String never, Instant now) {
    return at == null ? never : Display.age(at, now) + " ago";
  }
}
