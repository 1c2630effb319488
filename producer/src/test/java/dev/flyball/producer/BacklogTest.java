package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("S0-57, T9: above a backlog polls wait")
class BacklogTest {
  private final Map<String, Integer> waiting = new HashMap<>();
  private final Backlog backlog = new Backlog(10_000, () -> waiting);

  @Test
  void pollsWaitAboveTheLimitAndGoOnBelowNineTenths() {
    polled("acme/web");
    waiting.put("acme/web", 10_000);
    assertThat(backlog.whyNot("acme/web")).isEmpty();
    waiting.put("acme/web", 10_001);
    assertThat(backlog.whyNot("acme/web"))
        .hasValueSatisfying(reason -> assertThat(reason).contains("10001", "10000"));
    waiting.put("acme/web", 9_000);
    assertThat(backlog.whyNot("acme/web")).isPresent();
    waiting.put("acme/web", 8_999);
    assertThat(backlog.whyNot("acme/web")).isEmpty();
    waiting.put("acme/web", 10_000);
    assertThat(backlog.whyNot("acme/web")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          acme/web zeta/web          | acme/web=20000 zeta/web=5000  | acme/web | true
          acme/web zeta/web          | acme/web=20000 zeta/web=5000  | zeta/web | false
          acme/web zeta/web          | acme/web=20000 zeta/web=5001  | zeta/web | true
          acme/web acme/app zeta/web | acme/web=20000 acme/app=2500  | acme/web | true
          acme/web acme/app zeta/web | acme/web=20000 acme/app=2500  | acme/app | false
          acme/web zeta/web          | acme/web=9000 zeta/web=500    | acme/web | false
          acme/web zeta/web          | acme/gone=50000 acme/web=9000 | acme/web | false
          acme/web zeta/web          | other/gone=50000 acme/web=9000| acme/web | false
          """)
  void aSourceThatCannotMoveHoldsUpNoOther(
      String sources, String items, String source, boolean waits) {
    polled(sources.split(" "));
    for (String each : items.split(" ")) {
      waiting.put(each.replaceAll("=.*", ""), Integer.valueOf(each.replaceAll(".*=", "")));
    }

    assertThat(backlog.whyNot(source).isPresent()).isEqualTo(waits);
  }

  @Test
  void aShareIsAtLeastAThousandAndNeverAboveTheLimit() {
    polled(IntStream.range(0, 50).mapToObj(n -> "t" + n + "/a").toArray(String[]::new));
    waiting.put("t0/a", 20_000);
    waiting.put("t1/a", 1_000);
    assertThat(backlog.whyNot("t1/a")).isEmpty();
    waiting.put("t1/a", 1_001);
    assertThat(backlog.whyNot("t1/a")).isPresent();

    var small = new Backlog(100, () -> waiting);
    small.share(Set.of("t1/a"));
    waiting.put("t1/a", 101);
    assertThat(small.whyNot("t1/a")).isPresent();
  }

  @Test
  void aBrokerThatDoesNotAnswerHoldsNothingBackHere() {
    var unknown =
        new Backlog(
            100,
            () -> {
              throw new KafkaException("away");
            });

    assertThat(unknown.whyNot("acme/web")).isEmpty();
  }

  private void polled(String... sources) {
    backlog.share(Set.of(sources));
  }
}
