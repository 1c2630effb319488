package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-57, T9: above a backlog polls wait")
class BacklogTest {
  private final AtomicInteger waiting = new AtomicInteger();
  private final Backlog backlog = new Backlog(100, waiting::get);

  @Test
  void pollsWaitAboveTheLimitAndGoOnBelowNineTenths() {
    waiting.set(100);
    assertThat(backlog.whyNot()).isEmpty();
    waiting.set(101);
    assertThat(backlog.whyNot())
        .hasValueSatisfying(
            reason -> assertThat(reason).contains("101 items wait", "poll.backlog is 100"));
    waiting.set(90);
    assertThat(backlog.whyNot()).isPresent();
    waiting.set(89);
    assertThat(backlog.whyNot()).isEmpty();
    waiting.set(100);
    assertThat(backlog.whyNot()).isEmpty();
  }

  @Test
  void aBrokerThatDoesNotAnswerHoldsNothingBackHere() {
    var unknown =
        new Backlog(
            100,
            () -> {
              throw new KafkaException("away");
            });

    assertThat(unknown.whyNot()).isEmpty();
  }
}
