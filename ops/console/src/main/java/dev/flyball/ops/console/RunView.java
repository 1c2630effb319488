package dev.flyball.ops.console;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What the projection shows of one run: everything projected since {@link #begin}. The run's items
 * are those that changed in it, and those that an earlier run left unfinished. It needs a console
 * that keeps whole timelines. One thread.
 *
 * <p>Every method throws {@link dev.flyball.ops.telemetry.StartFailure} with one line if the file
 * cannot be read.
 */
public final class RunView implements AutoCloseable {
  /** Shown as the state of an item that triage has not processed yet. */
  private static final String SEEN = "seen";

  /** The types of terminal events, as a JSON array. */
  private static final String TERMINALS =
      RecordJson.write(
          Arrays.stream(EventType.values())
              .filter(EventType::terminal)
              .map(EventType::type)
              .toList());

  private final Database sql;
  private final ConsoleView all;
  private final long lastEvent;
  private final long analysesBefore;
  private final Set<String> unfinishedBefore;
  private final Set<String> sessionsBefore;

  /** Items that changed in this run, in the order of their first change. */
  private final Set<String> changed = new LinkedHashSet<>();

  private long readTo;

  private RunView(Database sql) {
    this.sql = sql;
    all = new ConsoleView(sql, TenantScope.ALL);
    lastEvent = newestEvent();
    readTo = lastEvent;
    analysesBefore = analyses();
    unfinishedBefore =
        new LinkedHashSet<>(
            sql.list(
                String.class, "SELECT key FROM item WHERE waiting_since IS NOT NULL ORDER BY key"));
    sessionsBefore =
        Set.copyOf(
            sql.list(
                String.class,
                "SELECT id FROM session WHERE outcome IS NULL UNION SELECT session FROM lease"));
  }

  /**
   * Begins a run. The projection contains everything from before it.
   *
   * @param data the console's folder, in which a console has run
   */
  public static RunView begin(Path data) {
    Database sql = ProjectionFile.openForReading(data).orElseThrow();
    return sql.transaction(() -> new RunView(sql));
  }

  /**
   * The run's items and the ledger as they are now.
   *
   * @param ahead items with a snapshot that triage has not processed yet
   */
  public Status status(Set<String> ahead) {
    return sql.transaction(() -> statusNow(ahead));
  }

  private Status statusNow(Set<String> ahead) {
    changed.addAll(
        sql.list(
            String.class,
            "SELECT subject FROM event WHERE id > ? AND type = ? ORDER BY id",
            readTo,
            EventType.ITEM_CHANGED.type()));
    readTo = newestEvent();
    var keys = new LinkedHashSet<>(unfinishedBefore);
    keys.addAll(changed);
    keys.addAll(ahead);
    Map<String, String> states =
        states("key IN (SELECT value FROM json_each(?))", RecordJson.write(keys));
    Map<String, String> open = states("waiting_since IS NOT NULL");
    states.putAll(open);
    keys.addAll(open.keySet());
    var items = new LinkedHashMap<String, Status.Item>();
    for (String key : keys) {
      boolean isChanged = changed.contains(key);
      items.put(
          key,
          new Status.Item(
              states.getOrDefault(key, SEEN),
              ahead.contains(key) || open.containsKey(key),
              isChanged,
              unfinishedBefore.contains(key) && !isChanged));
    }
    LedgerState ledger = ProjectionFile.ledger(sql);
    return new Status(items, !ahead.isEmpty(), ledger, due());
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
    int analyses = Math.toIntExact(analyses() - analysesBefore);
    var events =
        ProjectionFile.counts(
            sql, "SELECT type, count(*) FROM event WHERE id > ? GROUP BY type", lastEvent);
    return sql.first(
            row -> new Figures(events, row.getInt(1), analyses, row.getInt(2), row.getLong(3)),
            "SELECT count(DISTINCT json_extract(data, '$.batch')) FILTER (WHERE type = ?2),"
                + " count(*) FILTER (WHERE ended AND session IN (SELECT value FROM json_each(?4))),"
                + " coalesce(sum(json_extract(data, '$.costMicros')) FILTER (WHERE ended), 0) FROM"
                + " (SELECT *, type IN (SELECT value FROM json_each(?3)) AS ended FROM event WHERE"
                + " id > ?1)",
            lastEvent,
            EventType.ITEM_TRIAGED.type(),
            TERMINALS,
            RecordJson.write(sessionsBefore))
        .orElseThrow();
  }

  /** The rows of these items, in their order; a forgotten item has none. */
  public List<ItemRow> items(Set<String> keys) {
    return sql.list(
        ItemRow.class,
        "SELECT item.* FROM json_each(?) AS wanted JOIN item ON item.key = wanted.value ORDER BY"
            + " wanted.key",
        RecordJson.write(keys));
  }

  /** Everything else that the same projection shows. */
  public ConsoleView all() {
    return all;
  }

  @Override
  public void close() {
    sql.close();
  }

  private Map<String, String> states(String where, Object... values) {
    var states = new LinkedHashMap<String, String>();
    sql.list(
        row -> states.put(row.getString(1), row.getString(2)),
        "SELECT key, state FROM item WHERE " + where,
        values);
    return states;
  }

  /** When failed items are due. */
  private List<Instant> due() {
    return sql
        .list(
            row -> RecordJson.read(row.getString(1), ItemState.class).phase().dueAt(),
            "SELECT json FROM item_state WHERE key IN (SELECT key FROM item WHERE turn = ?)",
            ItemFilter.turn("failed"))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private long newestEvent() {
    return sql.first(Long.class, "SELECT coalesce(max(id), 0) FROM event").orElseThrow();
  }

  private long analyses() {
    return sql.first(
            Long.class, "SELECT coalesce(sum(value), 0) FROM counter WHERE name = 'analyses'")
        .orElseThrow();
  }

  /**
   * How far a run is.
   *
   * @param items the run's items by key: those that an earlier run left, then those that changed,
   *     in the order of their first change
   * @param ahead whether triage has not processed all snapshots yet
   * @param ledger the ledger as far as it was read
   * @param due when failed items are due
   */
  public record Status(
      Map<String, Item> items, boolean ahead, LedgerState ledger, List<Instant> due) {

    /** Nothing was read yet. */
    public static final Status NOTHING =
        new Status(Map.of(), false, LedgerState.empty(), List.of());

    public Status {
      items = Collections.unmodifiableMap(new LinkedHashMap<>(items));
      due = List.copyOf(due);
    }

    /**
     * One item of a run.
     *
     * @param state its state's name, {@code seen} before triage made one
     * @param open whether it is not settled yet
     * @param changed whether its content changed in this run
     * @param continued whether an earlier run left it unfinished, and it did not change since
     */
    public record Item(String state, boolean open, boolean changed, boolean continued) {
      /** Whether only a session can settle it. */
      private boolean waitsForSession() {
        return state.equals("queued") || state.equals("failed");
      }
    }

    /** Whether nothing happens any more without new input. */
    public boolean settled() {
      return unsettled() == 0 && ledger.live() == 0;
    }

    /** Number of items that are not settled yet. */
    public int unsettled() {
      return (int) items.values().stream().filter(Item::open).count();
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
          && items.values().stream().filter(Item::open).allMatch(Item::waitsForSession);
    }

    /**
     * The pause that holds up waiting items while no session runs, with the operator and the
     * reason; empty if there is none.
     */
    public Optional<String> paused(Instant now) {
      return ledger.live() > 0
              || items.values().stream().noneMatch(item -> item.state().equals("queued"))
          ? Optional.empty()
          : ledger.pauses(now).stream()
              .map(it -> OneLine.of(it.scope() + " is paused by " + it.who() + ": " + it.why()))
              .findFirst();
    }

    /** When the next failed item is due; one that is due already continues by itself. */
    public Optional<Instant> nextDue(Instant now) {
      return due.stream().filter(now::isBefore).min(Instant::compareTo);
    }

    /** Number of these items by state. */
    public Map<String, Integer> states(Predicate<Item> which) {
      var states = new TreeMap<String, Integer>();
      items.values().stream()
          .filter(which)
          .forEach(item -> states.merge(item.state(), 1, Integer::sum));
      return states;
    }
  }
}
