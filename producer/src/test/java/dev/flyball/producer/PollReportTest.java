package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.PollReport.InvalidLine;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a person is told of unreadable lines. */
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

  private static List<InvalidLine> lines(int count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(line -> new InvalidLine("a.jsonl", line, "not UTF-8"))
        .toList();
  }
}
