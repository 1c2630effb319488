package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

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
                    "Last poll: " + rows.getFirst().name() + ", " + rows.getFirst().last() + "."));
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
