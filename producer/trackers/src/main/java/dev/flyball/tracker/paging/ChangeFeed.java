package dev.flyball.tracker.paging;

import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.text.Bounded;
import java.time.Instant;
import java.util.ArrayList;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Polls a tracker that lists its changes: from a cursor, over a paged reading of the list, to a
 * result with the next cursor.
 *
 * @param tracker its name for people
 * @param place what is read there, for people
 * @param query mark of the place and query that are asked
 * @param requests made so far
 */
public record ChangeFeed<T extends ChangedEntry>(
    String tracker,
    String place,
    ChangeTolerance tolerance,
    String query,
    Items<T> items,
    IntSupplier requests) {
  private static final int MAX_VALUE = 2_000;

  /** Opens the list for one poll. */
  @FunctionalInterface
  public interface Opening<T extends ChangedEntry> {
    /**
     * Sends no request yet, unless it must first check whether it may ask.
     *
     * @param fresh whether nothing was read before, in which case the whole list is read
     * @throws SourceFailure if it may not ask
     */
    Listing<T> list(boolean fresh);
  }

  /** How an entry becomes an item. */
  @FunctionalInterface
  public interface Items<T extends ChangedEntry> {
    /**
     * Turns an entry into a work item.
     *
     * @param at running number
     * @throws UnreadableRecord if the entry lacks what an item must have
     */
    RawItem item(T entry, long at);
  }

  /** Polls once, from this cursor on; null for the first poll. */
  public PollResult poll(@Nullable String cursor, Opening<T> opening) {
    int before = requests.getAsInt();
    try {
      TrackerCursor start = TrackerCursor.read(cursor, query);
      Listing<T> list = opening.list(tolerance.fresh(start));
      ListResult<T> listed = list.read(tolerance.since(start).orElse(null));
      TrackerCursor next = tolerance.after(start, listed);
      if (!next.toString().equals(cursor)) {
        list.cursorMoves();
      }
      return read(listed, next, before);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  /** The time from which changes are read again, by polls from this cursor on. */
  public Instant horizon(String cursor) {
    return tolerance.horizon(TrackerCursor.read(cursor, query));
  }

  /** Whether this cursor is inside a list that was read in part. */
  public boolean goesOn(String cursor) {
    return TrackerCursor.read(cursor, query).partial();
  }

  private PollResult.Read read(ListResult<T> listed, TrackerCursor next, int requestsBefore) {
    var read = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    int number = 0;
    for (T entry : listed.items()) {
      if (entry.wanted()) {
        number++;
        try {
          read.add(items.item(entry, number));
        } catch (UnreadableRecord e) {
          String value = Bounded.text(entry.json().toString(), MAX_VALUE);
          invalid.add(new PollResult.Unread(place, number, String.valueOf(e.getMessage()), value));
        }
      }
    }
    int asked = requests.getAsInt() - requestsBefore;
    return new PollResult.Read(
        read, invalid, number, next.toString(), asked, listed.pause(), next.partial());
  }
}
