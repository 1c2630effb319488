package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.view.RunningSession;
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
    assertThat(after(TopAction.Key.UP).row(LIVE)).isZero();
    assertThat(after(TopAction.Key.DOWN).row(LIVE)).isEqualTo(1);
    assertThat(
            after(TopAction.Key.DOWN, TopAction.Key.DOWN, TopAction.Key.DOWN, TopAction.Key.DOWN)
                .row(LIVE))
        .isEqualTo(2);
    assertThat(after(TopAction.Key.DOWN, TopAction.Key.DOWN, TopAction.Key.UP).row(LIVE))
        .isEqualTo(1);
  }

  @Test
  void theSelectionStaysWithItsSessionWhenRowsMove() {
    TopState onB = after(TopAction.Key.DOWN);
    assertThat(onB.row(live("b", "c"))).isZero();
    assertThat(onB.row(live("x", "y", "b"))).isEqualTo(2);
    assertThat(onB.row(live("x", "y"))).as("b has ended").isZero();
    assertThat(onB.row(List.of())).isEqualTo(-1);
  }

  @Test
  void nothingIsDoneBeforeYes() {
    var asked = after(TopAction.Key.DOWN).press(TopAction.Key.CANCEL, LIVE);
    assertThat(asked.act()).isNull();
    assertThat(asked.state().asked()).isEqualTo(new TopAction.Cancel("t/s/b", "b"));

    var done = asked.state().press(TopAction.Key.YES, LIVE);
    assertThat(done.act()).isEqualTo(new TopAction.Cancel("t/s/b", "b"));
    assertThat(done.state().asked()).isNull();
    assertThat(done.state().press(TopAction.Key.YES, LIVE).act()).as("once").isNull();
  }

  @Test
  void theQuestionNamesTheSessionThatWasSelectedEvenIfRowsMoveMeanwhile() {
    TopState asked = after(TopAction.Key.DOWN, TopAction.Key.CANCEL);
    assertThat(asked.press(TopAction.Key.YES, live("c")).act())
        .isEqualTo(new TopAction.Cancel("t/s/b", "b"));
  }

  @ParameterizedTest
  @EnumSource(names = "YES", mode = EnumSource.Mode.EXCLUDE)
  void everyOtherKeyMeansNo(TopAction.Key key) {
    var answer = after(TopAction.Key.PAUSE).press(key, LIVE);
    assertThat(answer.act()).isNull();
    assertThat(answer.quit()).isFalse();
    assertThat(answer.state().asked()).isNull();
  }

  @Test
  void withoutASessionThereIsNothingToCancel() {
    var pressed = TopState.START.press(TopAction.Key.CANCEL, List.of());
    assertThat(pressed.state().asked()).isNull();
    assertThat(pressed.state().note()).isNotEmpty();
  }

  @Test
  void pausingNeedsNoSession() {
    var asked = TopState.START.press(TopAction.Key.PAUSE, List.of()).state();
    assertThat(asked.press(TopAction.Key.YES, List.of()).act()).isEqualTo(new TopAction.Pause());
  }

  @Test
  void retryIsOfTheItemThatWasEndedLast() {
    assertThat(after(TopAction.Key.RETRY).asked()).isNull();
    assertThat(after(TopAction.Key.CANCEL, TopAction.Key.OTHER, TopAction.Key.RETRY).asked())
        .as("the cancel was not confirmed")
        .isNull();

    TopState ended = after(TopAction.Key.DOWN, TopAction.Key.SKIP, TopAction.Key.YES);
    var retried = ended.done("skipped").press(TopAction.Key.RETRY, live("a")).state();
    assertThat(retried.asked()).isEqualTo(new TopAction.Retry("t/s/b"));
    assertThat(retried.press(TopAction.Key.YES, live("a")).act())
        .isEqualTo(new TopAction.Retry("t/s/b"));
  }

  @Test
  void theCapIsRaisedAndLoweredByOne() {
    assertThat(after(TopAction.Key.RAISE).asked()).isEqualTo(new TopAction.Cap(1));
    assertThat(after(TopAction.Key.LOWER).asked()).isEqualTo(new TopAction.Cap(-1));
  }

  private static TopState after(TopAction.Key... keys) {
    TopState state = TopState.START;
    for (TopAction.Key key : keys) {
      state = state.press(key, LIVE).state();
    }
    return state;
  }

  private static List<RunningSession> live(String... sessions) {
    return Stream.of(sessions)
        .map(id ->
            new RunningSession(
                id, "t/s/" + id, "r", 1, 7L, "A", 3L, Instant.EPOCH, 1, 2, null, false, 0, 0, null))
        .toList();
  }
}
