package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.KafkaFixture;

/** Polls on demand, as the schedule does. */
final class Polls {
  private Polls() {}

  /**
   * Polls until nothing passing prevents it: a broker under load refuses a transaction now and then
   * ({@code INVALID_TXN_STATE} was seen), and the schedule polls again soon.
   *
   * @throws AssertionError if the poll failed, or is prevented by more than a passing reason
   */
  static PollReport.Finished finished(ProducerApp app, String source) {
    PollReport report = KafkaFixture.await().until(() -> app.pollNow(source), Polls::isOver);
    assertThat(report).isInstanceOf(PollReport.Finished.class);
    return (PollReport.Finished) report;
  }

  private static boolean isOver(PollReport report) {
    return !(report instanceof PollReport.Skipped skipped && skipped.passes());
  }
}
