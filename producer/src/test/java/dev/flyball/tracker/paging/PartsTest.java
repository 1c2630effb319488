package dev.flyball.tracker.paging;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.paging.ShiftingList.Polled;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A long list is read by several polls, each of which continues where the one before ended. */
class PartsTest {
  private static final Instant T = Instant.parse("2026-11-20T10:00:00Z");
  private static final Instant NOW = T.plus(Duration.ofDays(2));
  private static final Duration HOUR = Duration.ofHours(1);

  private static final int LISTS = 1_000;

  @Test
  void aLongListIsReadInPartsAndEachItemOfItOnce() {
    var issues = issues(10, 130).enough(5);

    List<Polled> polls = issues.pollToTheEnd(null);

    assertThat(polls).hasSize(3);
    assertThat(issues.asked()).as("pages, of which each repeats one item").isEqualTo(15);
    List<Integer> numbers = numbers(polls);
    assertThat(new HashSet<>(numbers)).hasSize(130);
    assertThat(numbers).as("one on each seam").hasSize(130 + 2);
    assertThat(polls.getLast().listed().place()).isNull();
  }

  @Test
  void aListThatFitsIsReadByOnePoll() {
    var issues = issues(10, 46).enough(5);

    assertThat(issues.pollToTheEnd(null)).hasSize(1);
  }

  @Test
  void aMomentIsNotCutApart() {
    var issues = new ShiftingList(2, NOW).enough(1);
    for (int number = 1; number <= 9; number++) {
      issues.edit(number, T);
    }
    issues.edit(10, T.plusSeconds(60)).edit(11, T.plusSeconds(70));

    List<Polled> polls = issues.pollToTheEnd(null);

    assertThat(new HashSet<>(numbers(polls))).hasSize(11);
    assertThat(polls.getFirst().listed().items()).as("two of them lead nowhere").hasSize(2);
    assertThat(polls.get(1).listed().items()).hasSizeGreaterThanOrEqualTo(10);
  }

  @Test
  void whereTheTrackerAsksForAPauseWhatWasReadCounts() {
    var issues = issues(10, 130).pause(request -> request == 3 ? HOUR : Duration.ZERO);

    Polled first = issues.poll(null);
    assertThat(first.listed().place()).isNotNull();
    assertThat(first.listed().pause()).isEqualTo(HOUR);
    assertThat(first.listed().items()).hasSize(28);
    assertThat(issues.asked()).as("nothing that would be refused").isEqualTo(3);

    issues.now(NOW.plus(HOUR));
    assertThat(issues.poll(first.cursor()).listed().items()).hasSize(130 - 27);
  }

  @Test
  void oneRequestAtATimeLeadsToTheEndToo() {
    var issues = issues(10, 130).pause(request -> HOUR);

    assertThat(new HashSet<>(numbers(issues.pollToTheEnd(null)))).hasSize(130);
  }

  @Test
  void aPauseWithinTheFirstMomentFailsThePollWithItsWait() {
    var issues = new ShiftingList(2, NOW).pause(request -> request == 3 ? HOUR : Duration.ZERO);
    for (int number = 1; number <= 9; number++) {
      issues.edit(number, T);
    }
    String cursor = part(T.minusSeconds(1), NOW).toString();

    TrackerFailure failure = failureOf(() -> issues.poll(cursor));
    assertThat(failure.category()).isEqualTo(Category.RATE_LIMITED);
    assertThat(failure.retryAfter()).isEqualTo(HOUR);
    assertThat(issues.asked()).isEqualTo(3);
  }

  @Test
  void norDoesAPollWithoutACursorCutTheFirstMoment() {
    var issues = new ShiftingList(2, NOW).pause(request -> HOUR);
    for (int number = 1; number <= 9; number++) {
      issues.edit(number, NOW);
    }

    assertThat(failureOf(() -> issues.poll(null)).category()).isEqualTo(Category.RATE_LIMITED);
  }

  @Test
  void aListWithoutAnEndFailsThePoll() {
    var endless = new Endless();
    var listing = new PagedListing("t", ShiftingList.TOLERANCE, endless, Integer.MAX_VALUE);

    assertThat(failureOf(() -> listing.read(null)).category()).isEqualTo(Category.MALFORMED);
    assertThat(endless.asked).isEqualTo(10_001);
  }

  @ParameterizedTest
  @CsvSource({"100, 1", "99, 2", "7, 3", "5, 4"})
  @DisplayName(
      "a page that the tracker cannot answer is asked for again with fewer items (502, 504)")
  void smallerPages(int most, int requests) {
    var issues = new ShiftingList(100, NOW).most(most).edit(1, T).edit(2, T.plusSeconds(2));

    assertThat(issues.read(null)).hasSize(2);
    assertThat(issues.asked()).isEqualTo(requests);
  }

  @Test
  void aTrackerThatCannotAnswerTheSmallestPageFailsThePoll() {
    var issues = new ShiftingList(100, NOW).most(4).edit(1, T);

    assertThatThrownBy(() -> issues.read(null)).isInstanceOf(SourceFailure.class);
    assertThat(issues.asked()).isEqualTo(4);
  }

  /** Each page has one item that was changed later, and there is always another page. */
  private static final class Endless implements PagedListing.ChangePages {
    private int asked;

    @Override
    public ChangePage from(@Nullable Instant since, int size) {
      ChangedEntry entry = ShiftingList.entry(++asked, T.plusSeconds(2L * asked));
      return new ChangePage(List.of(entry), "next", Duration.ZERO, NOW);
    }

    @Override
    public ChangePage next(String name) {
      return from(null, 0);
    }
  }

  @Test
  void entriesWithoutAnIdAreToldApartByTheirContent() {
    String one = unnamed("one").change();

    assertThat(unnamed("one").change()).isEqualTo(one);
    assertThat(unnamed("two").change()).isNotEqualTo(one);
    assertThat(ChangedEntry.of("7", Instant.EPOCH, "3", json("x"), this::noItem).change())
        .isEqualTo("7@3");
  }

  private ChangedEntry unnamed(String content) {
    return ChangedEntry.of("", T, "1", json(content), this::noItem);
  }

  private RawItem noItem() {
    throw new AssertionError("it is unreadable");
  }

  private static JsonNode json(String content) {
    return RecordJson.parse("{\"content\":\"" + content + "\"}");
  }

  @Test
  void idsThatAreNoNumbersNeverExistedAndNoneIsAskedForTwice() {
    var keys =
        Stream.of("7", "x", "0", "7", "12").map(id -> new ItemKey("acme", "web", id)).toList();

    assertThat(ListedSource.numbers(keys)).containsExactly(7L, 12L);
  }

  /** A second reading of one moment's changes shows whether the first was complete. */
  @Test
  void aPauseWithinALaterMomentLeadsBackBeforeIt() {
    int pages = 5;
    for (int at = 3; at < 3 + 2 * pages; at++) {
      int limit = at;
      var issues =
          new ShiftingList(2, NOW).pause(request -> request == limit ? HOUR : Duration.ZERO);
      issues.edit(1, T.minusSeconds(30)).edit(2, T.minusSeconds(20));
      for (int number = 3; number <= 11; number++) {
        issues.edit(number, T);
      }
      issues.edit(12, T.plusSeconds(20)).edit(13, T.plusSeconds(30));

      Polled first = issues.poll(null);
      assertThat(first.listed().place()).as("pause at %d", limit).isNotNull();
      Instant place = first.listed().place();
      // An issue is edited between two requests: the next one moves up, over the boundary of two
      // pages.
      issues.edit(3, NOW.plusSeconds(60));
      issues.now(NOW.plus(HOUR));

      var all = new ArrayList<>(List.of(first));
      all.addAll(issues.pollToTheEnd(first.cursor()));
      assertThat(new HashSet<>(numbers(all))).as("pause at %d", limit).hasSize(13);
      assertThat(place).isBefore(limit < 2 + 2 * pages ? T : T.plusSeconds(30));
    }
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

    assertThat(failureOf(() -> issues.read(null)).category()).isEqualTo(Category.UNREACHABLE);
  }

  /** A producer that takes over in the middle of a list must know what was published since then. */
  @Test
  void theHorizonLiesBeforeAllThatIsReadAgain() {
    var issues = issues(10, 130).enough(1);
    var horizons = new ArrayList<Instant>();
    Instant lowest = Instant.MAX;

    List<Polled> polls = issues.pollToTheEnd(null);
    for (Polled poll : polls.reversed()) {
      Instant horizon = ShiftingList.horizon(poll.cursor());
      assertThat(horizon).isBefore(NOW);
      lowest = horizon.isBefore(lowest) ? horizon : lowest;
      horizons.add(horizon);
    }
    assertThat(horizons.getLast()).isEqualTo(lowest);
    assertThat(ShiftingList.horizon(part(NOW, T).toString()))
        .as("the place is behind the beginning, from which all is read once more")
        .isEqualTo(T.minus(Duration.ofMinutes(2)));
  }

  /**
   * The parts and the one poll after them see every issue that is edited, closed, opened again or
   * deleted during the parts and between them, however late it becomes visible.
   */
  @Test
  void whateverHappensDuringAndBetweenThePartsNothingIsMissed() {
    int polls = 0;
    for (int seed = 0; seed < LISTS; seed++) {
      var random = new Random(seed);
      int count = 1 + random.nextInt(40);
      var issues = new ShiftingList(1 + random.nextInt(4), NOW).enough(1 + random.nextInt(4));
      for (int number = 1; number <= count; number++) {
        issues.edit(number, T.plusSeconds(random.nextInt(30)));
      }
      boolean limited = random.nextBoolean();
      issues.pause(request -> limited && random.nextInt(6) == 0 ? HOUR : Duration.ZERO);
      issues.before(request -> {
        issues.now(issues.now().plusSeconds(random.nextInt(3)));
        happen(issues, random, count, Duration.ofSeconds(random.nextInt(110)));
      });
      issues.within(request -> happen(issues, random, count, Duration.ZERO));
      // A watermark with everything in its overlap, or none: then the open issues are requested.
      String cursor = random.nextInt(4) == 0 ? ShiftingList.at(T.plusSeconds(30)) : null;
      Set<String> seen = new HashSet<>();
      boolean midway = true;
      for (int poll = 0; midway && poll < 2_000; poll++) {
        Polled polled = tried(issues, cursor);
        if (polled != null) {
          changes(polled, seen);
          cursor = polled.cursor();
          midway = polled.listed().place() != null;
          polls++;
        }
        issues.now(issues.now().plusSeconds(random.nextInt(random.nextBoolean() ? 3 : 4_000)));
        happen(issues, random, count, Duration.ofSeconds(random.nextInt(110)));
      }
      assertThat(midway).as("seed %d ends", seed).isFalse();
      issues.before(request -> {}).within(request -> {}).pause(request -> Duration.ZERO);
      issues.now(issues.now().plusSeconds(300));
      for (Polled polled : issues.pollToTheEnd(cursor)) {
        changes(polled, seen);
      }

      assertThat(seen).as("seed %d", seed).containsAll(issues.changes());
    }
    assertThat(polls).as("lists were read in parts").isGreaterThan(4 * LISTS);
  }

  private static @Nullable Polled tried(ShiftingList issues, @Nullable String cursor) {
    try {
      return issues.poll(cursor);
    } catch (SourceFailure e) {
      return null;
    }
  }

  /** Now and then an issue is changed, which becomes visible this much later. */
  private static void happen(ShiftingList issues, Random random, int count, Duration late) {
    int number = 1 + random.nextInt(count);
    Instant at = issues.now().minus(late);
    switch (random.nextInt(40)) {
      case 0, 1 -> issues.edit(number, at);
      case 2 -> issues.close(number, at);
      case 3 -> issues.reopen(number, at);
      case 4 -> issues.delete(number);
      default -> {}
    }
  }

  private static ShiftingList issues(int pageSize, int count) {
    var issues = new ShiftingList(pageSize, NOW);
    for (int number = 1; number <= count; number++) {
      issues.edit(number, T.plusSeconds(60L * number));
    }
    return issues;
  }

  private static List<Integer> numbers(List<Polled> polls) {
    return polls.stream()
        .flatMap(poll -> poll.listed().items().stream())
        .map(item -> Integer.valueOf(item.id()))
        .toList();
  }

  private static void changes(Polled poll, Set<String> seen) {
    poll.listed().items().forEach(item -> seen.add(item.change()));
  }

  private static TrackerCursor part(Instant place, Instant began) {
    return new TrackerCursor(place, "abc", false, began, true);
  }
}
