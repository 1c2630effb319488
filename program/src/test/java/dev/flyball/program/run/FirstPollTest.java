package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.PollReport;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.program.run.FileRun.FirstPoll;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("what passes by itself does not end a run")
class FirstPollTest {
  private static final PollReport OPEN = new PollReport.Skipped("default/items", passing("open"));
  private static final PollReport READ =
      new PollReport.Finished("default/items", "p", 1, 1, 0, List.of(), Map.of(), List.of(), false);

  private final Deque<PollReport> producer = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();
  private long now;
  private int polls;
  private boolean interrupted;

  @Test
  @DisplayName(
      "a file that cannot be read yet is read as soon as it can be, and the wait is reported once")
  void aRefusalThatPassesIsWaitedFor() {
    producer.addAll(
        List.of(OPEN, new PollReport.Skipped("default/items", passing("polled by x")), READ));

    assertThat(report()).isEqualTo(READ);
    assertThat(told).containsExactly("open; trying again for up to 90 s");
    assertThat(Duration.ofNanos(now)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void whatIsReadImmediatelyIsNotReported() {
    producer.add(READ);

    assertThat(report()).isEqualTo(READ);
    assertThat(told).isEmpty();
  }

  @Test
  @DisplayName("what lasts longer than any open transaction is given up with its last reason")
  void whatStaysIsGivenUp() {
    assertThat(report()).isEqualTo(OPEN);

    assertThat(Duration.ofNanos(now)).isEqualTo(FirstPoll.PATIENCE).isGreaterThan(minute());
    assertThat(FirstPoll.PATIENCE).as("what passes does so by then").isEqualTo(NotPolled.SOON);
    assertThat(told).hasSize(1);
  }

  @Test
  void whatDoesNotPassIsNotWaitedFor() {
    var lasting = new PollReport.Skipped("default/items", new NotPolled.Lasting("given back"));
    producer.add(lasting);

    assertThat(report()).isEqualTo(lasting);
    assertThat(polls).isEqualTo(1);
    assertThat(told).isEmpty();
  }

  @Test
  void aFailureIsNotTriedAgain() {
    var failed = new PollReport.Failed("default/items", "unreadable");
    producer.add(failed);

    assertThat(report()).isEqualTo(failed);
    assertThat(polls).isEqualTo(1);
  }

  @Test
  @DisplayName("Ctrl-C ends the wait with the pause in which it came")
  void anInterruptEndsTheWait() {
    var first =
        new FirstPoll(
            this::poll,
            () -> interrupted,
            told::add,
            () -> now,
            time -> {
              now += time.toNanos();
              interrupted = now >= Duration.ofSeconds(3).toNanos();
            });

    assertThat(first.report()).isEqualTo(OPEN);
    assertThat(polls).isEqualTo(3);
  }

  private PollReport report() {
    return new FirstPoll(
            this::poll, () -> interrupted, told::add, () -> now, time -> now += time.toNanos())
        .report();
  }

  /** As scripted; open for ever where the script ends. */
  private PollReport poll() {
    polls++;
    return producer.isEmpty() ? OPEN : producer.remove();
  }

  private static NotPolled passing(String reason) {
    return new NotPolled.Passing(reason);
  }

  private static Duration minute() {
    return Duration.ofMinutes(1);
  }
}
