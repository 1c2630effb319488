package dev.flyball.program.cli;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.ConsoleRoutes;
import dev.flyball.ops.console.ConsoleRoutes.Answer;
import dev.flyball.ops.console.ConsoleRoutes.Counted;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the reading commands ask: the projection in the data folder, or a console on another
 * machine, both by the questions of the console's API. Methods throw {@link StartFailure} with one
 * line if there is no answer. Used by one thread.
 */
abstract sealed class ConsoleReader implements AutoCloseable
    permits ConsoleReader.Local, RemoteReader {
  /** Most rows that a console puts into one answer. */
  private static final int MOST_ROWS = 10_000;

  /** How old the answers are. */
  abstract ProjectionAge age();

  /** The items that a question finds. */
  abstract Counted counted(Map<String, String> query);

  /** What is known under a key; empty if nothing is. */
  abstract <T> Optional<T> find(String question, Map<String, String> query, Class<T> type);

  /** The rows of an answer. */
  abstract <T> List<T> list(String question, Map<String, String> query, Class<T[]> type);

  /** An answer that every console has. */
  abstract <T> T get(String question, Class<T> type);

  @Override
  public abstract void close();

  /** Live sessions, longest running first. */
  final List<RunningSession> ps() {
    return list("ps", Map.of(), RunningSession[].class);
  }

  /** The overall figures. */
  final Summary summary() {
    return get("summary", Summary.class);
  }

  /** Items that match, unfinished ones first. */
  final Counted items(ItemFilter filter) {
    var query = new TreeMap<>(Map.of("limit", String.valueOf(filter.limit())));
    put(query, "state", filter.state());
    put(query, "tenant", filter.tenant());
    put(query, "text", filter.text());
    return counted(query);
  }

  /** The keys of the items with this id. */
  final List<String> keysOf(String id) {
    return list("keys", Map.of("id", id), String[].class);
  }

  /** One item with its timeline. */
  final Optional<ItemStory> item(String key) {
    return find("item", Map.of("key", key), ItemStory.class);
  }

  /** Why an item is not running. */
  final Optional<ItemStatus> why(String key) {
    return find("why", Map.of("key", key), ItemStatus.class);
  }

  /** An item's newest analysis. */
  final Optional<Analysis> analysis(String key) {
    return find("analysis", Map.of("key", key), Analysis.class);
  }

  /** Every source that was polled, by name. */
  final List<SourceStatus> sources() {
    return list("sources", Map.of(), SourceStatus[].class);
  }

  /**
   * Polls, newest first.
   *
   * @param source {@code tenant/source}; null for all
   */
  final List<PollRow> polls(@Nullable String source, int limit) {
    var query = new TreeMap<>(Map.of("limit", String.valueOf(Math.min(limit, MOST_ROWS))));
    put(query, "source", source);
    return list("polls", query, PollRow[].class);
  }

  /** The dead letters that a console keeps, newest first. */
  final List<DeadLetterRow> deadLetters() {
    return list("dead-letters", Map.of("limit", String.valueOf(MOST_ROWS)), DeadLetterRow[].class);
  }

  /** What was spent today and the budgets. */
  final DaySpend spend() {
    return get("spend", DaySpend.class);
  }

  /** The caps in force, the global one first. */
  final List<ScopeCap> caps() {
    return list("caps", Map.of(), ScopeCap[].class);
  }

  private static void put(Map<String, String> query, String name, @Nullable String value) {
    if (value != null) {
      query.put(name, value);
    }
  }

  /** Reads the projection in the data folder, also while no service runs. */
  static final class Local extends ConsoleReader {
    private final ConsoleView view;
    private final ProjectionAge age;
    private final Map<String, Answer> answers;

    Local(Configuration configuration) {
      view = Lookup.open(configuration);
      age = ProjectionAge.of(view, configuration);
      answers = ConsoleRoutes.answers(new AppConfigurations(configuration).console(), age::moment);
    }

    @Override
    ProjectionAge age() {
      return age;
    }

    @Override
    Counted counted(Map<String, String> query) {
      return (Counted) answer("items", query);
    }

    @Override
    <T> Optional<T> find(String question, Map<String, String> query, Class<T> type) {
      return ((Optional<?>) answer(question, query)).map(type::cast);
    }

    @Override
    @SuppressWarnings("unchecked")
    <T> List<T> list(String question, Map<String, String> query, Class<T[]> type) {
      return (List<T>) answer(question, query);
    }

    @Override
    <T> T get(String question, Class<T> type) {
      return type.cast(answer(question, Map.of()));
    }

    private Object answer(String question, Map<String, String> query) {
      return Objects.requireNonNull(answers.get(question)).of(view, query);
    }

    @Override
    public void close() {
      view.close();
    }
  }
}
