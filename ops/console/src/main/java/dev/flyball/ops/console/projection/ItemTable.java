package dev.flyball.ops.console.projection;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.sqlite.Database;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rows of items: their state, newest analysis, and the session that should run for them. */
final class ItemTable {
  private static final int LONGEST_TEXT = 2_000;

  private final Database sql;

  ItemTable(Database sql) {
    this.sql = sql;
  }

  /** Stores an item's state; null deletes the item and its analysis. */
  void put(String key, @Nullable ItemState state) {
    if (state == null) {
      sql.update("DELETE FROM item WHERE key = ?", key);
      sql.update("DELETE FROM item_state WHERE key = ?", key);
      sql.update("DELETE FROM analysis WHERE item = ?", key);
      return;
    }
    ItemKey parsed = ItemKey.parse(key);
    ItemPhase phase = state.phase();
    Snapshot snapshot = state.snapshot();
    boolean waits = !phase.settled() || state.pending() != null;
    // An item waits since it began to, not since its last step.
    sql.update(
        "INSERT INTO item (key, tenant, source, title, state, turn, reason, revision, priority,"
            + " url, updated_at, waiting_since, spent_micros, text, sorted) VALUES (?, ?, ?, ?, ?,"
            + " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET title ="
            + " excluded.title, state = excluded.state, turn = excluded.turn, reason ="
            + " excluded.reason, revision = excluded.revision, priority = excluded.priority, url ="
            + " excluded.url, updated_at = excluded.updated_at, waiting_since = CASE WHEN"
            + " excluded.waiting_since IS NOT NULL THEN coalesce(waiting_since,"
            + " excluded.waiting_since) END, spent_micros = excluded.spent_micros, text ="
            + " excluded.text",
        key,
        parsed.tenant(),
        parsed.sourceKey(),
        snapshot.title(),
        phase.word(),
        ItemFilter.turn(phase.word()),
        reason(phase),
        snapshot.revision(),
        snapshot.priority(),
        snapshot.url(),
        state.updatedAt(),
        waits ? state.updatedAt() : null,
        state.spentMicros(),
        searched(key, snapshot.title()),
        ItemFilter.sorted(key));
    sql.update(
        "INSERT INTO item_state (key, json) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET json ="
            + " ?2",
        key,
        RecordJson.write(state));
  }

  /** What an item is searched by: its key and the beginning of its title, in lower case. */
  private static String searched(String key, String title) {
    String all = key + "\n" + title;
    return all.substring(0, Math.min(all.length(), LONGEST_TEXT)).toLowerCase(Locale.ROOT);
  }

  void analysis(String item, @Nullable Analysis analysis) {
    if (analysis == null) {
      sql.update("DELETE FROM analysis WHERE item = ?", item);
    } else {
      sql.update(
          "INSERT OR REPLACE INTO analysis (item, json) VALUES (?, ?)",
          item,
          RecordJson.write(analysis));
    }
  }

  /** Stores the session that should run for an item now; deletes it if null. */
  void request(String item, @Nullable SessionRequest request) {
    if (request == null) {
      sql.update("DELETE FROM request WHERE item = ?", item);
    } else {
      sql.update(
          "INSERT OR REPLACE INTO request (item, request, provider, profile, source, turn) VALUES"
              + " (?, ?, ?, ?, ?, ?)",
          item,
          request.request(),
          request.route().provider(),
          request.route().profile(),
          ItemKey.parse(item).sourceKey(),
          SessionRequest.turn(request.priority(), request.since()));
    }
  }

  /** Why an item is in its state; null where the state has no reason. */
  private static @Nullable String reason(ItemPhase phase) {
    return switch (phase) {
      case ItemPhase.New _, ItemPhase.Triaging _, ItemPhase.Analyzed _ -> null;
      case ItemPhase.Skipped p -> p.reason();
      case ItemPhase.Queued p -> p.verdict().reason();
      case ItemPhase.Running p -> "session " + p.session() + " on " + p.runner();
      case ItemPhase.Failed p -> p.reason() + "; next attempt due " + p.due();
      case ItemPhase.Dead p -> p.reason();
      case ItemPhase.Cancelled p -> p.reason();
      case ItemPhase.Closed p -> p.reason();
    };
  }
}
