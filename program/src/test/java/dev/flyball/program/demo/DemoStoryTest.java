package dev.flyball.program.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a demo plays, and when. */
final class DemoStoryTest {
  private static final DemoStory STORY =
      DemoStory.parse(
          """
          {"at":0,"note":"two arrive","id":"1","title":"a"}
          {"at":0,"note":"","id":"2","title":"b"}
          {"at":2.5,"note":"1 changes","id":"1","title":"c"}
          """);

  @Test
  void aStepIsAnItemWithoutItsTimeAndNote() {
    DemoStory.Step last = STORY.steps().getLast();
    assertThat(last.at()).isEqualTo(Duration.ofMillis(2_500));
    assertThat(last.note()).isEqualTo("1 changes");
    assertThat(last.line()).isEqualTo("{\"id\":\"1\",\"title\":\"c\"}");
    assertThat(STORY.ids()).containsExactlyInAnyOrder("1", "2");
  }

  @Test
  void eachStepIsPlayedOnceWhenItsTimeHasCome() {
    assertThat(STORY.due(Duration.ZERO, 0)).hasSize(2);
    assertThat(STORY.due(Duration.ofMillis(2_499), 2)).isEmpty();
    assertThat(STORY.due(Duration.ofMillis(2_500), 2)).hasSize(1);
    assertThat(STORY.due(Duration.ofHours(1), 3)).isEmpty();
  }
}
