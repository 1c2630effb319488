package dev.flyball.program.cli;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the reading commands read: the projection in the data folder, or that of a console on
 * another machine. Methods throw {@link dev.flyball.ops.telemetry.StartFailure} with one line if it
 * cannot be read.
 */
interface ConsoleReader extends AutoCloseable {
  /** How old the answers are. */
  ProjectionAge age();

  /** Live sessions, longest running first. */
  List<RunningSession> ps();

  /** The overall figures. */
  Summary summary();

  /** Items that match, unfinished ones first. */
  List<ItemRow> items(ItemFilter filter);

  /** How many items match, whatever the filter's limit. */
  long count(ItemFilter filter);

  /** The keys of the items with this id. */
  List<String> keysOf(String id);

  /** One item with its timeline. */
  Optional<ItemStory> item(String key);

  /** Why an item is not running. */
  Optional<ItemStatus> why(String key);

  /** An item's newest analysis. */
  Optional<Analysis> analysis(String key);

  /** Every source that was polled, by name. */
  List<SourceStatus> sources();

  /**
   * Polls, newest first.
   *
   * @param source {@code tenant/source}; null for all
   */
  List<PollRow> polls(@Nullable String source, int limit);

  /** The dead letters that a console keeps, newest first. */
  List<DeadLetterRow> deadLetters();

  @Override
  void close();
}
