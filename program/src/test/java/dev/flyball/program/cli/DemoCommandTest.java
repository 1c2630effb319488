package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DemoCommandTest {
  @Test
  void aStepIsAnItemWithoutItsTimeAndNote() {
    List<DemoCommand.Step> story =
        DemoCommand.Step.story(
            """
            {"at":0,"note":"two arrive","id":"1","title":"a"}
            {"at":2.5,"note":"1 changes","id":"1","title":"c"}
            """);

    assertThat(story.getLast())
        .isEqualTo(new DemoCommand.Step(2.5, "1 changes", "{\"id\":\"1\",\"title\":\"c\"}"));
    assertThat(story.getLast().id()).isEqualTo("1");
  }
}
