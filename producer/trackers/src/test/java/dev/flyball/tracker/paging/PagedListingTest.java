package dev.flyball.tracker.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A list that shifts while it is read: every change is seen, none is missed. */
class PagedListingTest {
  private static final Instant T = Instant.parse("2026-11-20T10:00:00Z");
  private static final Instant NOW = T.plus(Duration.ofDays(2));

  private static final int POLLS = 1_000;

  @Test
  void anItemThatMovesUpOverThePageBoundaryIsStillRead() {
    var issues = issues(2, 6);
    issues.before(request -> {
      if (request == 2) {
        // 1 leaves the first page, and 3 takes its place there: page number 2 begins with 4.
        issues.edit(1, NOW);
      }
    });

    assertThat(numbers(issues.read(null))).contains("2", "3", "4", "5", "6");
    assertThat(issues.read(null)).extracting(ChangedEntry::change).contains("1@" + NOW);
  }

  @Test
  void anItemThatIsDeletedBetweenPagesHidesNoOther() {
    var issues = issues(2, 6);
    issues.before(request -> {
      if (request == 2) {
        issues.delete(1);
      }
    });

    assertThat(numbers(issues.read(null))).containsExactly("1", "2", "3", "4", "5", "6");
  }

  @Test
  void oneSecondThatFillsManyPagesIsReadByItsLinks() {
    var issues = new ShiftingList(2, NOW);
    for (int number = 1; number <= 9; number++) {
      issues.edit(number, T);
    }
    issues.edit(10, T.plusSeconds(60));

    assertThat(numbers(issues.read(null))).hasSize(10);
  }

  @Test
  void oneSecondThatShiftsWhileItsLinksAreFollowedIsReadAgain() {
    var issues = new ShiftingList(2, NOW);
    for (int number = 1; number <= 9; number++) {
      issues.edit(number, T);
    }
    issues.before(request -> {
      if (request == 4) {
        issues.edit(1, NOW);
      }
    });

    assertThat(numbers(issues.read(null))).contains("2", "3", "4", "5", "6", "7", "8", "9");
  }

  @Test
  void anItemThatShowsItsNewTimeInItsOldPlaceIsNoPlaceToGoOnFrom() {
    var issues = issues(3, 9);
    issues.within(request -> {
      if (request == 1) {
        issues.edit(3, NOW);
      }
    });

    assertThat(numbers(issues.read(null))).contains("4", "5", "6", "7", "8", "9");
  }

  @Test
  void anItemThatWasEditedWithinTheLastMinuteIsNoPlaceToGoOnFrom() {
    var issues = issues(3, 9);
    issues.within(request -> {
      if (request == 1) {
        issues.edit(3, NOW.minusSeconds(59));
      }
    });

    assertThat(numbers(issues.read(null))).contains("4", "5", "6", "7", "8", "9");
  }

  @Test
  void aSecondThatNeverComesToRestFailsThePoll() {
    var issues = new ShiftingList(2, NOW);
    for (int number = 1; number <= 99; number++) {
      issues.edit(number, T);
    }
    issues.before(request -> {
      if (request % 10 == 0) {
        issues.delete(request / 10);
      }
    });

    assertThatThrownBy(() -> issues.read(null))
        .isInstanceOfSatisfying(
            SourceFailure.class,
            failure -> assertThat(failure.failure().category()).isEqualTo(Category.UNREACHABLE));
  }

  /**
   * What this poll does not read, the next one reads: it starts from before this one's beginning.
   */
  @Test
  void whateverIsEditedWhileTheListIsReadNothingIsMissedOverTwoPolls() {
    int givenUp = 0;
    for (int seed = 0; seed < POLLS; seed++) {
      var random = new Random(seed);
      int count = 1 + random.nextInt(25);
      var issues = new ShiftingList(1 + random.nextInt(4), NOW);
      for (int number = 1; number <= count; number++) {
        issues.edit(number, T.plusSeconds(random.nextInt(6)));
      }
      Runnable edit =
          () -> {
            if (random.nextInt(8) == 0) {
              issues.edit(1 + random.nextInt(count), NOW.plusSeconds(random.nextInt(10)));
            }
          };
      issues.before(request -> edit.run()).within(request -> edit.run());

      Set<String> seen = new HashSet<>();
      TrackerCursor start = TrackerCursor.read(null, "abc");
      try {
        ListResult listed = issues.list(null);
        seen.addAll(changes(listed.items()));
        start = ShiftingList.TOLERANCE.after(start, listed);
      } catch (SourceFailure e) {
        givenUp++;
      }
      issues.before(request -> {}).within(request -> {});
      issues.now(NOW.plusSeconds(300));
      seen.addAll(changes(issues.read(ShiftingList.TOLERANCE.since(start).orElse(null))));

      assertThat(seen).as("seed %d", seed).containsAll(issues.changes());
    }
    assertThat(givenUp).as("a poll fails only where edits never cease").isLessThan(POLLS / 10);
  }

  @Test
  void everyPageIsAskedOnce() {
    var issues = issues(100, 1_000);

    assertThat(issues.read(null)).hasSize(1_000);
    assertThat(issues.asked()).as("one issue of each page is read again").isEqualTo(11);
  }

  private static ShiftingList issues(int pageSize, int count) {
    var issues = new ShiftingList(pageSize, NOW);
    for (int number = 1; number <= count; number++) {
      issues.edit(number, T.plusSeconds(60L * number));
    }
    return issues;
  }

  private static List<String> numbers(List<ChangedEntry> issues) {
    return issues.stream().map(ChangedEntry::id).toList();
  }

  private static Set<String> changes(List<ChangedEntry> issues) {
    var changes = new HashSet<String>();
    issues.forEach(issue -> changes.add(issue.change()));
    return changes;
  }
}
