package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.PollReport;
import dev.flyball.producer.publish.NotPolled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When the one poll of a run is tried again. */
final class FirstPollTest {
  private static final PollReport OPEN = skipped(NotPolled.passing("open"));
  private static final PollReport READ =
      new PollReport.Finished("default/items", "p", 1, 1, 0, List.of(), Map.of(), List.of(), false);

  private final List<String> told = new ArrayList<>();
  private int polls;

  @Test
  @DisplayName(
      "a file that cannot be read yet is read as soon as it can be, and the wait is reported once")
  void whatPassesIsWaitedFor() {
    assertThat(report(_ -> false, OPEN, OPEN, READ)).isEqualTo(READ);
    assertThat(told).containsExactly("open; trying again for up to 90 s");
    assertThat(FileRun.PATIENCE).as("what passes does so by then").isEqualTo(NotPolled.SOON);
  }

  @Test
  void whatIsReadOrFailedOrLastsIsNotTriedAgain() {
    var failed = new PollReport.Failed("default/items", "unreadable");
    for (PollReport last : List.of(READ, failed, skipped(NotPolled.lasting("given back")))) {
      assertThat(report(_ -> false, last)).isEqualTo(last);
    }
    assertThat(told).isEmpty();
  }

  @Test
  @DisplayName("Ctrl-C ends the wait with the pause in which it came")
  void anInterruptEndsTheWait() {
    assertThat(report(_ -> polls == 3, OPEN, OPEN, OPEN, READ)).isEqualTo(OPEN);
    assertThat(polls).isEqualTo(3);
  }

  @Test
  void whatStaysIsGivenUp() {
    assertThat(FileRun.firstPoll(() -> OPEN, _ -> false, told::add, Duration.ofMillis(50)))
        .isEqualTo(OPEN);
  }

  private PollReport report(Predicate<Duration> overWithin, PollReport... scripted) {
    polls = 0;
    return FileRun.firstPoll(() -> scripted[polls++], overWithin, told::add, FileRun.PATIENCE);
  }

  private static PollReport skipped(NotPolled why) {
    return new PollReport.Skipped("default/items", why);
  }
}
