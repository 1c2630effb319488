package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.program.cli.TopAction.Key;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a key does on the live screen. */
final class TopStateTest {
  private static final List<RunningSession> LIVE = live("a", "b", "c");

  @Test
  void arrowsMoveTheSelectionAndStopAtTheEnds() {
    assertThat(after(Key.UP).row(LIVE)).isZero();
    assertThat(after(Key.DOWN).row(LIVE)).isEqualTo(1);
    assertThat(after(Key.DOWN, Key.DOWN, Key.DOWN, Key.DOWN).row(LIVE)).isEqualTo(2);
    assertThat(after(Key.DOWN, Key.DOWN, Key.UP).row(LIVE)).isEqualTo(1);
  }

  @Test
  void theSelectionStaysWithItsSessionWhenRowsMove() {
    TopState onB = after(Key.DOWN);
    assertThat(onB.row(live("b", "c"))).isZero();
    assertThat(onB.row(live("x", "y", "b"))).isEqualTo(2);
    assertThat(onB.row(live("x", "y"))).as("b has ended").isZero();
    assertThat(onB.row(List.of())).isEqualTo(-1);
  }

  @Test
  void nothingIsDoneBeforeYes() {
    var asked = after(Key.DOWN).press(Key.CANCEL, LIVE);
    assertThat(asked.act()).isNull();
    assertThat(asked.state().asked()).isEqualTo(new TopAction.Cancel("t/s/b", "b"));

    var done = asked.state().press(Key.YES, LIVE);
    assertThat(done.act()).isEqualTo(new TopAction.Cancel("t/s/b", "b"));
    assertThat(done.state().asked()).isNull();
    assertThat(done.state().press(Key.YES, LIVE).act()).as("once").isNull();
  }

  @Test
  void theQuestionNamesTheSessionThatWasSelectedEvenIfRowsMoveMeanwhile() {
    TopState asked = after(Key.DOWN, Key.CANCEL);
    assertThat(asked.press(Key.YES, live("c")).act()).isEqualTo(new TopAction.Cancel("t/s/b", "b"));
  }

  @ParameterizedTest
  @EnumSource(names = "YES", mode = EnumSource.Mode.EXCLUDE)
  void everyOtherKeyMeansNo(Key key) {
    var answer = after(Key.PAUSE).press(key, LIVE);
    assertThat(answer.act()).isNull();
    assertThat(answer.quit()).isFalse();
    assertThat(answer.state().asked()).isNull();
  }

  @Test
  void withoutASessionThereIsNothingToCancel() {
    var pressed = TopState.START.press(Key.CANCEL, List.of());
    assertThat(pressed.state().asked()).isNull();
    assertThat(pressed.state().note()).isNotEmpty();
  }

  @Test
  void pausingNeedsNoSession() {
    var asked = TopState.START.press(Key.PAUSE, List.of()).state();
    assertThat(asked.press(Key.YES, List.of()).act()).isEqualTo(new TopAction.Pause());
  }

  private static TopState after(Key... keys) {
    TopState state = TopState.START;
    for (Key key : keys) {
      state = state.press(key, LIVE).state();
    }
    return state;
  }

  private static List<RunningSession> live(String... sessions) {
    return Stream.of(sessions)
        .map(id ->
            new RunningSession(
                id, "t/s/" + id, "r", 1, 7L, "A", 3L, Instant.EPOCH, 1, 2, null, false, 0, 0))
        .toList();
  }
}
