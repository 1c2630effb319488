package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What was deleted before it was read. */
final class ReadGapsTest {
  private static final TopicPartition ONE = new TopicPartition("work-items", 1);
  private static final TopicPartition TWO = new TopicPartition("work-items", 2);

  @Test
  void aGroupBehindItsTopicsBeginningHasMissedTheRecordsBetween() {
    assertThat(ReadGaps.between(Map.of(ONE, 100L, TWO, 7L), Map.of(ONE, 350L, TWO, 7L)))
        .singleElement()
        .asString()
        .contains("work-items-1", "250 records");
  }

  @Test
  void aGroupWithoutAnOffsetMayHaveMissedWhateverWasDeleted() {
    assertThat(ReadGaps.between(Map.of(TWO, 7L), Map.of(ONE, 350L, TWO, 0L)))
        .singleElement()
        .asString()
        .contains("work-items-1", "offset 350");
  }

  @Test
  void newTopicsAndAGroupThatKeepsUpHaveNoGap() {
    assertThat(ReadGaps.between(Map.of(), Map.of(ONE, 0L, TWO, 0L))).isEmpty();
    assertThat(ReadGaps.between(Map.of(ONE, 350L), Map.of(ONE, 350L))).isEmpty();
    assertThat(ReadGaps.between(Map.of(ONE, 351L), Map.of(ONE, 350L))).isEmpty();
  }
}
