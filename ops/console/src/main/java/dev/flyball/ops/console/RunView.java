package dev.flyball.ops.console;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the projection shows of one run: everything projected since {@link #begin}. The run's items
 * are those that changed in it, and those that an earlier run left unfinished. It needs a console
 * that keeps whole timelines. One thread.
 *
 * <p>Every method throws {@link dev.flyball.ops.telemetry.StartFailure} with one line if the file
 * cannot be read.
 */
public final class RunView implements AutoCloseable {
  private static final String ANALYSES =
      "(SELECT coalesce(sum(value), 0) FROM counter WHERE name = 'analyses')";

  /** The types of terminal events, as a JSON array. */
  private static final String TERMINALS =
      RecordJson.write(
          Arrays.stream(EventType.values())
              .filter(EventType::terminal)
              .map(EventType::type)
              .toList());

  private final Database sql;
  private final ConsoleView all;
  private final Before before;

  /**
   * What was there when the run began.
   *
   * @param unfinished keys of items, as a JSON array
   * @param sessions ids of sessions without an end, as a JSON array
   */
  private record Before(long event, long analyses, String unfinished, String sessions) {}

  private RunView(Database sql) {
    this.sql = sql;
    all = new ConsoleView(sql, TenantScope.ALL);
    before =
        sql.first(
                Before.class,
                "SELECT (SELECT coalesce(max(id), 0) FROM event) AS event, "
                    + ANALYSES
                    + " AS analyses, (SELECT json_group_array(key) FROM (SELECT key FROM item WHERE"
                    + " waiting_since IS NOT NULL ORDER BY key)) AS unfinished, (SELECT"
                    + " json_group_array(id) FROM (SELECT id FROM session WHERE outcome IS NULL"
                    + " UNION SELECT session FROM lease)) AS sessions")
            .orElseThrow();
  }

  /**
   * Begins a run. The projection contains everything from before it.
   *
   * @param data the console's folder, in which a console has run
   */
  public static RunView begin(Path data) {
    return new RunView(ProjectionFile.openForReading(data, TenantScope.ALL).orElseThrow());
  }

  /**
   * The run's items and the ledger as they are now.
   *
   * @param ahead items with a snapshot that triage has not processed yet
   */
  public Status status(Set<String> ahead) {
    return sql.transaction(
        () -> new Status(items(ahead), !ahead.isEmpty(), ProjectionFile.ledger(sql)));
  }

  /** Those that were left, those that changed, those that are ahead, and those that are open. */
  private List<Status.Item> items(Set<String> ahead) {
    return sql.list(
        Status.Item.class,
        "WITH wanted AS (SELECT value AS key, 0 AS kind, key AS place FROM json_each(?1) UNION ALL"
            + " SELECT subject, 1, min(id) FROM event NOT INDEXED WHERE id > ?2 AND type = ?3 GROUP"
            + " BY subject UNION ALL SELECT value, 2, key FROM json_each(?4) UNION ALL SELECT key,"
            + " 3, 0 FROM item WHERE waiting_since IS NOT NULL) SELECT wanted.key, coalesce(state,"
            + " 'seen') AS state, max(kind) > 1 AS open, max(kind = 1) AS changed, min(kind) = 0"
            + " AND NOT max(kind = 1) AS continued, CASE state WHEN 'failed' THEN (SELECT"
            + " json_extract(json, '$.phase.due') FROM item_state WHERE item_state.key ="
            + " wanted.key) END AS due FROM wanted LEFT JOIN item ON item.key = wanted.key GROUP BY"
            + " wanted.key ORDER BY min(kind * 1000000000000 + place)",
        before.unfinished,
        before.event,
        EventType.ITEM_CHANGED.type(),
        RecordJson.write(ahead));
  }

  /**
   * What a run did.
   *
   * @param events how many events of each type it wrote
   * @param triageCalls calls of the classifier, each for a whole batch
   * @param analyses analyses written
   * @param inherited how many of the sessions that ended an earlier run began
   * @param costMicros what those that ended cost, in micro-dollars
   */
  public record Figures(
      Map<String, Long> events, int triageCalls, int analyses, int inherited, long costMicros) {
    public Figures {
      events = Map.copyOf(events);
    }

    /** How many events of this type. */
    public int count(EventType type) {
      return events.getOrDefault(type.type(), 0L).intValue();
    }
  }

  /** The run's figures so far. */
  public Figures figures() {
    return sql.transaction(this::figuresNow);
  }

  private Figures figuresNow() {
    var events =
        ProjectionFile.counts(
            sql, "SELECT type, count(*) FROM event WHERE id > ? GROUP BY type", before.event);
    return sql.first(
            row -> new Figures(events, row.getInt(1), row.getInt(2), row.getInt(3), row.getLong(4)),
            "SELECT count(DISTINCT json_extract(data, '$.batch')) FILTER (WHERE type = ?2), "
                + ANALYSES
                + " - ?5, count(*) FILTER (WHERE ended AND session IN (SELECT value FROM"
                + " json_each(?4))), coalesce(sum(json_extract(data, '$.costMicros')) FILTER (WHERE"
                + " ended), 0) FROM (SELECT *, type IN (SELECT value FROM json_each(?3)) AS ended"
                + " FROM event WHERE id > ?1)",
            before.event,
            EventType.ITEM_TRIAGED.type(),
            TERMINALS,
            before.sessions,
            before.analyses)
        .orElseThrow();
  }

  /** The rows of a run's items, in their order; a forgotten item has none. */
  public List<ItemRow> rows(Status status) {
    return sql.list(
        ItemRow.class,
        "SELECT item.* FROM json_each(?) AS wanted JOIN item ON item.key = wanted.value ORDER BY"
            + " wanted.key",
        RecordJson.write(status.items.stream().map(Status.Item::key).toList()));
  }

  /** An item's state as triage-stream keeps it. */
  public Optional<ItemState> state(String key) {
    return sql.first(
        row -> RecordJson.read(row.getString(1), ItemState.class),
        "SELECT json FROM item_state WHERE key = ?",
        key);
  }

  /** Everything else that the same projection shows. */
  public ConsoleView all() {
    return all;
  }

  @Override
  public void close() {
    sql.close();
  }

  /**
   * How far a run is.
   *
   * @param items the run's items: those that an earlier run left, then those that changed, in the
   *     order of their first change
   * @param ahead whether triage has not processed all snapshots yet
   * @param ledger the ledger as far as it was read
   */
  public record Status(List<Item> items, boolean ahead, LedgerState ledger) {

    /** Nothing was read yet. */
    public static final Status NOTHING = new Status(List.of(), false, LedgerState.empty());

    public Status {
      items = List.copyOf(items);
    }

    /**
     * One item of a run.
     *
     * @param state its state's name, {@code seen} before triage made one
     * @param open whether it is not settled yet
     * @param changed whether its content changed in this run
     * @param continued whether an earlier run left it unfinished, and it did not change since
     * @param due when a failed item is tried again
     */
    public record Item(
        String key,
        String state,
        boolean open,
        boolean changed,
        boolean continued,
        @Nullable Instant due) {}

    /** Whether nothing happens any more without new input. */
    public boolean settled() {
      return unsettled() == 0 && ledger.live() == 0;
    }

    /** Number of items that are not settled yet. */
    public int unsettled() {
      return (int) items.stream().filter(Item::open).count();
    }

    /** Whether every remaining item waits for a session, and none can ever start: the cap is 0. */
    public boolean capZero() {
      return ledger.initialized() && ledger.cap() == 0 && onlySessionsAreMissing();
    }

    /** Whether every remaining item waits for a session, and none is live. */
    public boolean onlySessionsAreMissing() {
      return ledger.live() == 0
          && !ahead
          && unsettled() > 0
          && items.stream()
              .filter(Item::open)
              .map(Item::state)
              .allMatch(List.of("queued", "failed")::contains);
    }

    /**
     * The pause that holds up waiting items while no session runs, with the operator and the
     * reason; empty if there is none.
     */
    public Optional<String> paused(Instant now) {
      return ledger.live() > 0 || items.stream().noneMatch(item -> item.state().equals("queued"))
          ? Optional.empty()
          : ledger.pauses(now).stream()
              .map(it -> OneLine.of(it.scope() + " is paused by " + it.who() + ": " + it.why()))
              .findFirst();
    }

    /** When the next failed item is due; one that is due already continues by itself. */
    public Optional<Instant> nextDue(Instant now) {
      return items.stream()
          .map(Item::due)
          .filter(Objects::nonNull)
          .filter(now::isBefore)
          .min(Instant::compareTo);
    }

    /** Number of these items by state. */
    public Map<String, Integer> states(Predicate<Item> which) {
      var states = new TreeMap<String, Integer>();
      items.stream().filter(which).forEach(item -> states.merge(item.state(), 1, Integer::sum));
      return states;
    }
  }
}
