package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.QuestionQueue.Asked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Which waiting questions one call answers")
final class QuestionQueueTest {
  private static final TopicPartition PARTITION = new TopicPartition("questions", 0);

  private static final Question QUESTION =
      new Question("q", ItemKey.parse("a/b/c"), Sample.snapshot());

  private final QuestionQueue queue = new QuestionQueue(100, (_, _) -> {});
  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");

  @BeforeEach
  void assign() {
    consumer.assign(List.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
  }

  @Test
  void aBatchHasAtMostSoManyItems() {
    add(1, 1, 1, 1);
    assertThat(queue.full(3)).isTrue();
    assertThat(batches()).containsExactly(List.of(0L, 1L, 2L), List.of(3L));
  }

  @Test
  @DisplayName("bytes above the limit make another batch, and nothing is left out")
  void aBatchHasAtMostSoManyBytes() {
    add(60, 40, 1, 99);
    assertThat(batches()).containsExactly(List.of(0L, 1L), List.of(2L, 3L));
  }

  @Test
  void aQuestionThatIsLargerByItselfIsABatchOfOne() {
    add(1, 500, 1);
    assertThat(batches()).containsExactly(List.of(0L), List.of(1L), List.of(2L));
  }

  @Test
  void aBatchWaitsForMoreUntilItsItemsOrItsBytesAreReached() {
    add(60);
    assertThat(queue.full(3)).isFalse();
    add(60);
    assertThat(queue.full(3)).isTrue();
  }

  @Test
  @DisplayName("a bounded number of questions, and of bytes, is read ahead")
  void soManyQuestionsAreReadAhead() {
    assertThat(reads()).isTrue();
    add(new int[QuestionQueue.MOST_WAITING - 1]);
    assertThat(reads()).isTrue();
    add(1);
    assertThat(reads()).isFalse();

    queue.clear();
    assertThat(reads()).isTrue();
    add(8 << 20);
    assertThat(reads()).isFalse();
  }

  /** Whether a poll may bring further questions. */
  private boolean reads() {
    queue.poll(consumer, 0);
    return consumer.paused().isEmpty();
  }

  @Test
  void whatWasNotAnsweredIsFirstAgain() {
    add(1, 1, 1, 1);
    queue.putBack(queue.take(3, Long.MAX_VALUE));
    assertThat(batches().getFirst()).containsExactly(0L, 1L, 2L);
  }

  @Test
  void whatWasAnsweredIsNotAskedAgainUntilAnotherAssignment() {
    add(1, 1);
    queue.done(0);
    assertThat(batches()).containsExactly(List.of(1L));

    next = 0;
    add(1, 1);
    assertThat(batches()).containsExactly(List.of(1L));

    next = 0;
    queue.assigned();
    add(1, 1);
    assertThat(batches()).containsExactly(List.of(0L, 1L));
  }

  private long next;

  private void add(int... sizes) {
    for (int size : sizes) {
      queue.add(new Asked(next++, size, QUESTION));
    }
  }

  private List<List<Long>> batches() {
    var batches = new ArrayList<List<Long>>();
    while (!queue.isEmpty()) {
      batches.add(queue.take(3, Long.MAX_VALUE).stream().map(Asked::offset).toList());
    }
    return batches;
  }
}
