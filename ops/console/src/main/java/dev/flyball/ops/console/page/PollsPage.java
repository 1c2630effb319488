package dev.flyball.ops.console.page;

import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Instant;
import java.util.List;

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
}
