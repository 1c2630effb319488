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

/** When sources are polled, in words. */
public final class PollTimes {
  private PollTimes() {}

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

  /** The colour of the result of a poll. */
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
          return "Last poll: " + name(first) + ", " + Display.ago(at(first.last()), "-", now) + ".";
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
}
