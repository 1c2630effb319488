package dev.flyball.tracker.paging;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A tracker that lists its changes and takes comments. A poll reads the list from a cursor on, over
 * its pages, to a result with the next cursor.
 */
public interface ListedSource extends Source, Comments {
  /** Of the comments of an item. */
  int MOST_PAGES = 100;

  /**
   * What is read.
   *
   * @param name for people
   * @param query mark of the place and query that are asked
   * @param account as which the tracker knows us
   * @param http sends the requests
   * @param clock our time
   */
  record Place(
      String name,
      ChangeTolerance tolerance,
      String query,
      Account account,
      TrackerHttp http,
      InstantSource clock) {
    private TrackerCursor at(@Nullable String cursor) {
      return TrackerCursor.read(cursor, query);
    }
  }

  /** What this source reads; the same for all its life. */
  Place place();

  /** A page of the list, with what its answer says of time. */
  default ChangePage page(TrackerResponse answer, List<ChangedEntry> items, @Nullable String next) {
    return new ChangePage(
        items, next, answer.retryAfter(), answer.served(place().clock().instant()));
  }

  /**
   * What one poll read of a list.
   *
   * @param items in the order in which they were read, each change once
   * @param began when the first page was answered, by the tracker's clock
   * @param pause the pause that the tracker asks for
   * @param place where the list goes on if it was read in part; null at its end. Every older change
   *     that was there when the reading began was read, or was replaced by a newer change of its
   *     item
   */
  record ListResult(
      List<ChangedEntry> items, Instant began, Duration pause, @Nullable Instant place) {
    public ListResult {
      items = List.copyOf(items);
    }
  }

  /**
   * What a check of items by their ids found.
   *
   * @param entries those that exist
   * @param gone those that surely do not exist any more, or that we can no longer see
   */
  record Existing(List<ChangedEntry> entries, Set<ItemKey> gone) {

    /** Items that are not among the entries are deleted; an entry without id may be any item. */
    public static Existing of(List<ItemKey> keys, List<ChangedEntry> entries) {
      Set<String> present = entries.stream().map(ChangedEntry::id).collect(Collectors.toSet());
      boolean sure = !present.contains("");
      return new Existing(
          entries,
          keys.stream()
              .filter(key -> sure && !present.contains(key.id()))
              .collect(Collectors.toSet()));
    }
  }

  /** The ids of items that are numbers, as every id of most trackers is. Others never existed. */
  static List<Long> numbers(List<ItemKey> keys) {
    return keys.stream()
        .map(ItemKey::id)
        .filter(id -> id.matches("[1-9][0-9]{0,17}"))
        .map(Long::valueOf)
        .distinct()
        .toList();
  }

  /**
   * Reads everything from a change on, or from the first one; or the first part of that, of bounded
   * size.
   *
   * @param fresh whether nothing was read before, in which case the whole list is read
   * @param since null for the beginning
   * @throws SourceFailure if it may not ask, or if not even a first part can be read safely
   */
  ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission);

  /**
   * Called before what was read moves the cursor.
   *
   * @throws SourceFailure if some of the list may have been hidden from us
   */
  default void cursorMoves(RequestPermission permission) {}

  /**
   * Checks items by their ids.
   *
   * @throws SourceFailure if they cannot be requested
   */
  Existing existing(List<ItemKey> keys, RequestPermission permission);

  /**
   * All comments of an item whose pages have numbers from 1 on.
   *
   * @param full how many a page has if there is another one
   * @throws SourceFailure if they do not end, as where a server ignores page numbers
   */
  static <T> List<T> pages(String item, int full, IntFunction<List<T>> page) {
    var all = new ArrayList<T>();
    for (int number = 1; number <= MOST_PAGES; number++) {
      List<T> read = page.apply(number);
      all.addAll(read);
      if (read.size() < full) {
        return all;
      }
    }
    throw new SourceFailure(
        Category.MALFORMED, "comments of issue " + item + " have no end; nothing is written");
  }

  @Override
  default Optional<Comments> writer() {
    return Optional.of(this);
  }

  @Override
  default Optional<String> us(RequestPermission permission) {
    return place().account().id(permission);
  }

  @Override
  default PollResult poll(@Nullable String cursor, RequestPermission permission) {
    int before = place().http().requests();
    ChangeTolerance tolerance = place().tolerance();
    TrackerCursor start = place().at(cursor);
    Instant since = tolerance.since(start).orElse(null);
    ListResult listed = list(tolerance.fresh(start), since, permission);
    TrackerCursor next = tolerance.after(start, listed);
    if (!next.toString().equals(cursor)) {
      cursorMoves(permission);
    }
    return read(listed, next, before);
  }

  @Override
  default Optional<Instant> horizon(String cursor) {
    return Optional.of(place().tolerance().horizon(place().at(cursor)));
  }

  @Override
  default boolean goesOn(String cursor) {
    return place().at(cursor).partial();
  }

  /**
   * An item that exists but cannot be read is left out, so that the others do not wait for it. The
   * poll that reads it reports it.
   */
  @Override
  default Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    int before = place().http().requests();
    Existing existing = existing(keys, permission);
    var items = new ArrayList<RawItem>();
    for (ChangedEntry entry : existing.entries()) {
      if (entry.content() instanceof ChangedEntry.Item(RawItem item)) {
        items.add(item);
      }
    }
    return new Revisited(items, existing.gone(), requestsSince(before));
  }

  private PollResult read(ListResult listed, TrackerCursor next, int requestsBefore) {
    var read = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    for (ChangedEntry entry : listed.items()) {
      switch (entry.content()) {
        case ChangedEntry.Item(RawItem item) -> read.add(item);
        case ChangedEntry.Unreadable(String reason, String value) ->
            invalid.add(
                new PollResult.Unread(
                    place().name(), read.size() + invalid.size() + 1L, reason, value));
        case ChangedEntry.Other() -> {}
      }
    }
    int asked = requestsSince(requestsBefore);
    return new PollResult(
        read, invalid, Map.of(), next.toString(), asked, listed.pause(), next.partial(), null);
  }

  private int requestsSince(int before) {
    return place().http().requests() - before;
  }
}
