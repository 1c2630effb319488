package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.tracker.PollResult.Unread;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a report says to a person about unreadable lines. */
final class PollReportTest {
  @Test
  void aFewAreNamed() {
    assertThat(PollReport.complaints(lines(2), false, 5))
        .containsExactly("a.jsonl:1: not UTF-8", "a.jsonl:2: not UTF-8");
    assertThat(PollReport.complaints(lines(5), true, 5)).hasSize(5);
    assertThat(PollReport.complaints(List.of(), true, 5)).isEmpty();
  }

  @Test
  void manyAreCounted() {
    assertThat(PollReport.complaints(lines(6), false, 5))
        .hasSize(6)
        .last()
        .isEqualTo("a.jsonl: 1 more line cannot be read");
    assertThat(PollReport.complaints(lines(300), false, 5))
        .last()
        .isEqualTo("a.jsonl: 295 more lines cannot be read");
  }

  @Test
  void aFileOfNothingElseIsNoItemsFileWhichIsSaidOnce() {
    assertThat(PollReport.complaints(lines(300), true, 5))
        .containsExactly(
            "a.jsonl: none of its 300 lines is an item, so it is no items file; the first:"
                + " a.jsonl:1: not UTF-8");
  }

  @Test
  void unknownFieldsAreNamedWithTheirCountsUpToALimit() {
    Map<String, Integer> many = new TreeMap<>();
    IntStream.range(0, 12).forEach(n -> many.put("f" + (n + 10), n));

    assertThat(PollReport.ignored("a/b", Map.of())).isEmpty();
    assertThat(PollReport.ignored("a/b", Map.of("descr\n", 2)))
        .get()
        .asString()
        .contains("descr? (2)");
    assertThat(PollReport.ignored("a/b", many)).get().asString().contains("f19 (9) and 2 more");
  }

  @Test
  void partsOfAPollAreReportedAsOne() {
    PollReport both = finished("p1", 3, true).and(finished("p2", 2, false));

    assertThat(both).isEqualTo(finished("p2", 5, false));
    assertThat(finished("p1", 3, true).and(new PollReport.Failed("a/b", "no route; wait")))
        .isEqualTo(
            new PollReport.Failed(
                "a/b", "no route; wait; the 3 changes read before it are published"));
    assertThat(
            finished("p1", 3, true)
                .and(new PollReport.Skipped("a/b", NotPolled.passing("lease lost"))))
        .isEqualTo(
            new PollReport.Failed("a/b", "lease lost; the 3 changes read before it are published"));
  }

  private static PollReport.Finished finished(String poll, int count, boolean more) {
    var published =
        new PollReport.Published(
            new ItemKey("a", "b", "1"), "1", Fingerprint.of(new TreeMap<>(Map.of("a", "b"))), true);
    return new PollReport.Finished(
        "a/b",
        poll,
        count,
        count,
        count,
        Collections.nCopies(count, new Unread("f", 1, "no", "x")),
        Map.of(),
        Collections.nCopies(count, published),
        more);
  }

  private static List<Unread> lines(int count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(line -> new Unread("a.jsonl", line, "not UTF-8", "x"))
        .toList();
  }
}
