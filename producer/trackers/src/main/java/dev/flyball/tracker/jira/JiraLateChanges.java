package dev.flyball.tracker.jira;

import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds changes that Jira's index shows only after polls have moved past their time. It lists once
 * an hour which issues were changed when during the last 12 hours, and fetches those whose change
 * no poll has listed. A restart forgets what was listed: those 12 hours are then fetched again, and
 * the caller holds back what was published. One thread.
 */
final class JiraLateChanges {
  /** How late a change may appear. Delays of two hours and more were reported. */
  static final Duration WINDOW = Duration.ofHours(12);

  private static final Duration EVERY = Duration.ofHours(1);

  /** Most issues fetched by one check; the next check continues. */
  private static final int MOST = 2_000;

  /** Most pages of one check. */
  private static final int MOST_PAGES = 100;

  private static final int FETCHED_TOGETHER = 100;

  /**
   * A fetch counts only when it was repeated: the poll of the first may not have been committed.
   */
  private static final int SURE = 2;

  private final Map<String, Seen> seen = new HashMap<>();
  private @Nullable Instant checked;

  /**
   * A change that was listed or fetched.
   *
   * @param times how often it was fetched; {@link #SURE} if a poll listed it
   */
  private record Seen(Instant changedAt, int times) {}

  /**
   * Adds late changes to what a poll has listed, where a check is due.
   *
   * @param since from where the poll listed changes; null for the beginning
   */
  ListResult completed(ListResult listed, @Nullable Instant since, JiraSearch search) {
    Instant from = listed.began().minus(WINDOW);
    seen.values().removeIf(change -> change.changedAt().isBefore(from.minus(EVERY)));
    listed.items().stream()
        .filter(issue -> !issue.changedAt().isBefore(from))
        .forEach(issue -> seen.put(issue.change(), new Seen(issue.changedAt(), SURE)));
    boolean due = checked == null || !listed.began().isBefore(checked.plus(EVERY));
    if (!due || listed.place() != null || listed.pause().isPositive()) {
      return listed;
    }
    checked = listed.began();
    if (since == null || !from.isBefore(since)) {
      return listed;
    }
    var items = new ArrayList<>(listed.items());
    Duration pause = fetch(unseen(search, from, since), search, items);
    return new ListResult(items, listed.began(), pause, null);
  }

  /** Late changes by their issues' keys, the oldest first. */
  private Map<String, ChangedEntry> unseen(JiraSearch search, Instant from, Instant to) {
    var unseen = new LinkedHashMap<String, ChangedEntry>();
    ChangePage page = search.times(from, to);
    for (int pages = 1; ; pages++) {
      for (ChangedEntry issue : page.items()) {
        Seen before = seen.get(issue.change());
        if (!issue.id().isEmpty() && (before == null || before.times() < SURE)) {
          unseen.put(issue.id(), issue);
        }
      }
      if (page.next() == null || page.pause().isPositive() || pages >= MOST_PAGES) {
        return unseen;
      }
      page = search.next(page.next());
    }
  }

  private Duration fetch(
      Map<String, ChangedEntry> unseen, JiraSearch search, List<ChangedEntry> items) {
    List<String> keys = unseen.keySet().stream().limit(MOST).toList();
    Duration pause = Duration.ZERO;
    for (int first = 0; first < keys.size() && !pause.isPositive(); first += FETCHED_TOGETHER) {
      List<String> batch = keys.subList(first, Math.min(first + FETCHED_TOGETHER, keys.size()));
      ChangePage page = search.fetch(batch).page();
      items.addAll(page.items());
      pause = page.pause();
      for (String key : batch) {
        ChangedEntry issue = unseen.get(key);
        if (issue != null) {
          seen.merge(
              issue.change(),
              new Seen(issue.changedAt(), 1),
              (before, now) -> new Seen(before.changedAt(), before.times() + 1));
        }
      }
    }
    return pause;
  }
}
