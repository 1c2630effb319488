package dev.flyball.ops.console.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FoldedToTest {
  @Test
  void whatIsReadAgainIsContained() {
    FoldedTo folded = FoldedTo.NONE.after(0, 500).after(1, 900).after(2, 700);

    assertThat(folded.contains(0, 500)).isTrue();
    assertThat(folded.contains(1, 900)).isTrue();
    assertThat(folded.contains(2, 700)).isTrue();
    assertThat(folded.contains(3, 100)).as("a clock that is behind").isFalse();
  }

  @Test
  void aTopicThatBeginsAgainIsNotContained() {
    FoldedTo folded = FoldedTo.NONE.after(70, 900);

    assertThat(folded.contains(0, 901)).isFalse();
    FoldedTo again = folded.after(0, 901);
    assertThat(again.contains(1, 300)).isFalse();
    assertThat(again.contains(0, 901)).isTrue();
  }
}
