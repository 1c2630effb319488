package dev.flyball.producer.source.github;

import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.SourceFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the list of issues to its end, however it shifts meanwhile ({@link IssuePage} says how).
 *
 * <p>Page after page is asked from the time of the last change read. Only where more issues than
 * fit on a page share one second, the links are followed; then the same stretch is read again until
 * it holds what it held before, because only a stretch that did not shift was read whole.
 */
final class IssueWalk {
  /** How often a stretch is read again before this poll is given up. */
  private static final int MOST_AGAIN = 5;

  /** More than the largest repositories have; a list that goes on behind it has no end. */
  private static final int MOST_PAGES = 10_000;

  /** Asks for pages. */
  interface Pages {
    /** The list's beginning, from a change on or from the first one. */
    IssuePage from(@Nullable Instant since);

    /** The page that a link leads to. */
    IssuePage at(String link);
  }

  private final Pages pages;
  private final Instant resting;
  private final Map<String, GitHubIssue> read = new LinkedHashMap<>();
  private Duration pause = Duration.ZERO;
  private int count;

  /**
   * Reads nothing yet.
   *
   * @param resting issues changed before were surely not edited while this reads
   */
  IssueWalk(Pages pages, Instant resting) {
    this.pages = pages;
    this.resting = resting;
  }

  /**
   * Everything from there on, in the order in which it was read, each change once.
   *
   * @param first the page that was answered for it
   */
  List<GitHubIssue> toTheEnd(IssuePage first, @Nullable Instant since) {
    Instant asked = since;
    IssuePage page = taken(first);
    while (page.next() != null) {
      Optional<Instant> on = page.from(asked, resting);
      if (on.isPresent()) {
        asked = on.get();
        page = next(page, asked);
      } else {
        page = pastTheSecond(page, asked);
      }
    }
    return new ArrayList<>(read.values());
  }

  /** How long GitHub asked to be left alone when the list was read. */
  Duration pause() {
    return pause;
  }

  /** The first page, or the last one, that leads further than where the first was asked from. */
  private IssuePage pastTheSecond(IssuePage first, @Nullable Instant asked) {
    Set<String> before = null;
    IssuePage page = first;
    for (int again = 0; again <= MOST_AGAIN; again++) {
      var held = new HashSet<>(page.changesBefore(resting));
      while (page.next() != null && page.from(asked, resting).isEmpty()) {
        page = next(page, page.next());
        held.addAll(page.changesBefore(resting));
      }
      if (held.equals(before)) {
        return page;
      }
      before = held;
      page = next(page, asked);
    }
    throw new SourceFailure(
        Category.UNREACHABLE,
        "GitHub: issues that share one second change faster than they can be read; the next poll"
            + " tries again");
  }

  private IssuePage next(IssuePage before, @Nullable Instant since) {
    mayGoOn(before);
    return taken(pages.from(since));
  }

  private IssuePage next(IssuePage before, String link) {
    mayGoOn(before);
    return taken(pages.at(link));
  }

  /** One more request would be refused, and counts against who goes on asking. */
  private static void mayGoOn(IssuePage before) {
    if (before.pause().isPositive()) {
      throw new SourceFailure(
          new Failure(Category.RATE_LIMITED, GitHubLimit.usedUp(before.pause()), before.pause()),
          null);
    }
  }

  private IssuePage taken(IssuePage page) {
    if (++count > MOST_PAGES) {
      throw new SourceFailure(
          Category.MALFORMED,
          "GitHub: the list of issues has no end after " + MOST_PAGES + " pages; check the url");
    }
    pause = page.pause();
    for (GitHubIssue issue : page.issues()) {
      // What is read again is newer, if two edits of one second differ.
      read.remove(issue.change());
      read.put(issue.change(), issue);
    }
    return page;
  }
}
