package dev.flyball.producer.source.github;

import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.http.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One page of the list of issues, oldest change first, and what is to be asked after it. Pure.
 *
 * <p>The list shifts while it is read: an issue that is edited moves to its end, those behind it
 * move up, and one of them moves from the beginning of the next page to the end of this one, where
 * nobody looks again. A page's number is therefore no place to go on from; the time of a change is,
 * because nothing that stays unchanged moves past it.
 *
 * @param next the address of the next page, null on the last one
 * @param pause how long GitHub asks to be left alone after it
 * @param served when it was made, by GitHub's clock
 */
record IssuePage(List<GitHubIssue> issues, @Nullable String next, Duration pause, Instant served) {

  IssuePage {
    issues = List.copyOf(issues);
  }

  /**
   * Reads an answer.
   *
   * @throws SourceFailure if it is no such page
   */
  static IssuePage of(Answer answer, Instant now) {
    if (!answer.json().isArray()) {
      throw new SourceFailure(
          Category.MALFORMED,
          "GitHub: the list of issues is no list; check the source's url, which ends in /api/v3"
              + " for an enterprise server");
    }
    var issues = new ArrayList<GitHubIssue>();
    answer.json().forEach(issue -> issues.add(GitHubIssue.of(issue)));
    String next = NextLink.in(answer.headers().allValues("Link")).orElse(null);
    return new IssuePage(
        issues, next, GitHubLimit.pause(answer, now), GitHubLimit.served(answer.headers(), now));
  }

  /** The same page as it stands now, by an answer that says so. */
  IssuePage confirmedBy(Answer answer, Instant now) {
    return new IssuePage(
        issues, next, GitHubLimit.pause(answer, now), GitHubLimit.served(answer.headers(), now));
  }

  /**
   * From where to ask on; empty if this page does not lead further than where it was asked from.
   *
   * <p>Only issues that rested since before the poll count: one that was edited meanwhile may show
   * its new time in its old place, and going on from there would leave out what lies between. One
   * second less, so that others of the same second are read whether GitHub means "at or after", as
   * it does, or "after", as it says.
   */
  Optional<Instant> from(@Nullable Instant asked, Instant resting) {
    return resting(resting).stream()
        .map(GitHubIssue::updatedAt)
        .max(Instant::compareTo)
        .map(newest -> newest.minusSeconds(1))
        .filter(from -> asked == null || from.isAfter(asked));
  }

  /** The changes on it that are older than that. */
  Set<String> changesBefore(Instant resting) {
    var changes = new HashSet<String>();
    resting(resting).forEach(issue -> changes.add(issue.change()));
    return changes;
  }

  private List<GitHubIssue> resting(Instant resting) {
    return issues.stream().filter(issue -> issue.updatedAt().isBefore(resting)).toList();
  }
}
