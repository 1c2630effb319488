package dev.flyball.tracker.paging;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.paging.ListedSource.ListResult;
import dev.flyball.tracker.paging.PagedListing.ChangePages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A list of items that people edit between two pages: by page number, oldest change first. */
final class ShiftingList implements ChangePages {
  /** As short as the time between polls of a test. */
  static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private static final String QUERY = "abc";

  private int pageSize;
  private final TreeMap<Integer, Instant> updated = new TreeMap<>();
  private final TreeSet<Integer> closed = new TreeSet<>();
  private IntConsumer before = page -> {};
  private IntConsumer within = page -> {};
  private IntFunction<Duration> pause = page -> Duration.ZERO;
  private int enough = Integer.MAX_VALUE;
  private int most = Integer.MAX_VALUE;
  private boolean openOnly;
  private int asked;
  private Instant now;

  ShiftingList(int pageSize, Instant now) {
    this.pageSize = pageSize;
    this.now = now;
  }

  /** Edits an issue, or opens it. */
  ShiftingList edit(int number, Instant at) {
    updated.put(number, at);
    return this;
  }

  /** Closes an issue: only a request for all issues returns it from now on. */
  ShiftingList close(int number, Instant at) {
    closed.add(number);
    return edit(number, at);
  }

  /** Opens an issue again. */
  ShiftingList reopen(int number, Instant at) {
    closed.remove(number);
    return edit(number, at);
  }

  /** Deletes an issue. */
  ShiftingList delete(int number) {
    updated.remove(number);
    return this;
  }

  /** Runs this before each request, with the number of the request, counted from 1. */
  ShiftingList before(IntConsumer before) {
    this.before = before;
    return this;
  }

  /**
   * Runs this after a page is selected and before its entries are written: an entry then shows its
   * new time in its old place.
   */
  ShiftingList within(IntConsumer within) {
    this.within = within;
    return this;
  }

  /** Sets the pause that it asks for with the answer to each request. */
  ShiftingList pause(IntFunction<Duration> pause) {
    this.pause = pause;
    return this;
  }

  /** Sets after how many pages a poll ends early. */
  ShiftingList enough(int pages) {
    enough = pages;
    return this;
  }

  /** Answers no request for more items than this. */
  ShiftingList most(int items) {
    most = items;
    return this;
  }

  /** Moves the clock. */
  void now(Instant now) {
    this.now = now;
  }

  Instant now() {
    return now;
  }

  /** Requests so far. */
  int asked() {
    return asked;
  }

  /** Every issue's newest change. */
  List<String> changes() {
    return updated.entrySet().stream()
        .map(issue -> issue.getKey() + "@" + issue.getValue())
        .toList();
  }

  /** Runs one poll. */
  ListResult list(@Nullable Instant since) {
    return new PagedListing("The tracker", TOLERANCE, this, enough).read(since);
  }

  /** What one poll reads. */
  List<ChangedEntry> read(@Nullable Instant since) {
    return list(since).items();
  }

  /** One poll from a cursor, as GitHub is polled: open issues first, then all that change. */
  Polled poll(@Nullable String cursor) {
    TrackerCursor start = TrackerCursor.read(cursor, QUERY);
    openOnly = TOLERANCE.fresh(start);
    ListResult listed = list(TOLERANCE.since(start).orElse(null));
    openOnly = false;
    return new Polled(listed, TOLERANCE.after(start, listed).toString());
  }

  /** The same, to the end of the list. */
  List<Polled> pollToTheEnd(@Nullable String cursor) {
    var polls = new ArrayList<Polled>();
    polls.add(poll(cursor));
    while (polls.getLast().listed().place() != null) {
      polls.add(poll(polls.getLast().cursor()));
    }
    return polls;
  }

  /** The time from which polls from this cursor on read changes again. */
  static Instant horizon(String cursor) {
    return TOLERANCE.horizon(TrackerCursor.read(cursor, QUERY));
  }

  /** The cursor after everything up to this time was read. */
  static String at(Instant newest) {
    return new TrackerCursor(newest, QUERY, false, null, false).toString();
  }

  @Override
  public ChangePage from(@Nullable Instant since, int size) {
    if (size > most) {
      asked++;
      throw new SourceFailure(Category.UNREACHABLE, "answered 504").askingTooMuch();
    }
    pageSize = Math.min(pageSize, size);
    return page(since, 1);
  }

  @Override
  public ChangePage next(String link) {
    String[] parts = link.split("#", -1);
    Instant since = parts[0].isEmpty() ? null : Instant.parse(parts[0]);
    return page(since, Integer.parseInt(parts[1]));
  }

  private ChangePage page(@Nullable Instant since, int number) {
    before.accept(++asked);
    var list = new ArrayList<Integer>();
    updated.forEach((issue, at) -> {
      if ((since == null || !at.isBefore(since)) && !(openOnly && closed.contains(issue))) {
        list.add(issue);
      }
    });
    list.sort(Comparator.comparing((Integer issue) -> updated.get(issue)));
    int from = Math.min(list.size(), (number - 1) * pageSize);
    int to = Math.min(list.size(), number * pageSize);
    List<Integer> page = List.copyOf(list.subList(from, to));
    within.accept(asked);
    String next = to < list.size() ? (since == null ? "" : since) + "#" + (number + 1) : null;
    return new ChangePage(
        page.stream()
            .filter(updated::containsKey)
            .map(issue -> entry(issue, updated.getOrDefault(issue, Instant.EPOCH)))
            .toList(),
        next,
        pause.apply(asked),
        now);
  }

  /** One issue of the list. */
  static ChangedEntry entry(int number, Instant changedAt) {
    return new ChangedEntry(
        Integer.toString(number), changedAt, changedAt.toString(), new ChangedEntry.Other());
  }

  /** One poll and where the next one begins. */
  record Polled(ListResult listed, String cursor) {}
}
