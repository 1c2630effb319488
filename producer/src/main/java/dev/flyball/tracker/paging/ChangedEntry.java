package dev.flyball.tracker.paging;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.text.Bounded;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * An entry of a list that is sorted by when its items were changed. Pure.
 *
 * @param id its item's id; empty where the entry has none
 * @param changedAt by the tracker's clock; the epoch where the tracker does not say
 * @param revision differs between two changes of one item
 */
public record ChangedEntry(String id, Instant changedAt, String revision, Content content) {
  private static final int MAX_VALUE = 2_000;

  /** What an entry is. */
  public sealed interface Content {}

  /** A work item. */
  public record Item(RawItem item) implements Content {}

  /**
   * An entry that lacks what an item must have.
   *
   * @param value its JSON, bounded
   */
  public record Unreadable(String reason, String value) implements Content {}

  /** Something else, which the poll does not read: a list may hold others between its items. */
  public record Other() implements Content {}

  /**
   * Reads an entry. One without an id, or that does not say when it was changed, is no item.
   *
   * @param item reads it as an item, or throws {@link UnreadableRecord}
   */
  public static ChangedEntry of(
      String id, Instant changedAt, String revision, JsonNode json, Supplier<RawItem> item) {
    Content content;
    try {
      if (id.isEmpty()) {
        throw new UnreadableRecord("it has no id");
      }
      if (changedAt.equals(Instant.EPOCH)) {
        throw new UnreadableRecord(id + " does not say when it was changed");
      }
      content = new Item(item.get());
    } catch (UnreadableRecord e) {
      String value = Bounded.text(json.toString(), MAX_VALUE);
      content = new Unreadable(String.valueOf(e.getMessage()), value);
    }
    return new ChangedEntry(id, changedAt, revision, content);
  }

  /** Reads an entry of a tracker without revisions: the time distinguishes changes. */
  public static ChangedEntry of(
      String id, Instant changedAt, JsonNode json, Supplier<RawItem> item) {
    return of(id, changedAt, changedAt.toString(), json, item);
  }

  /** Identifies one change of one item among all changes. */
  public String change() {
    boolean unnamed = id.isEmpty() && content instanceof Unreadable;
    return (unnamed ? ((Unreadable) content).value() : id) + "@" + revision;
  }
}
