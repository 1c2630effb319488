package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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

  @Test
  void aTenantThatCannotMoveHoldsUpNoOtherTenant() {
    polled("acme/web", "zeta/web");
    waiting.put("acme/web", 20_000);
    waiting.put("zeta/web", 5_000);

    assertThat(backlog.whyNot("acme/web")).isPresent();
    assertThat(backlog.whyNot("zeta/web")).isEmpty();
    waiting.put("zeta/web", 5_001);
    assertThat(backlog.whyNot("zeta/web")).as("above its share").isPresent();
  }

  @Test
  void aSourceThatCannotMoveHoldsUpNoOtherSourceOfItsTenant() {
    polled("acme/web", "acme/app", "zeta/web");
    waiting.put("acme/web", 20_000);
    waiting.put("acme/app", 2_500);

    assertThat(backlog.whyNot("acme/web")).isPresent();
    assertThat(backlog.whyNot("acme/app")).isEmpty();
  }

  @Test
  void aTenantMayUseWhatTheOthersLeave() {
    polled("acme/web", "zeta/web");
    waiting.put("acme/web", 9_000);
    waiting.put("zeta/web", 500);

    assertThat(backlog.whyNot("acme/web")).isEmpty();
  }

  @Test
  void itemsOfASourceThatIsNotConfiguredCountForNoTenant() {
    polled("acme/web", "zeta/web");
    waiting.put("acme/gone", 50_000);
    waiting.put("other/gone", 50_000);
    waiting.put("acme/web", 9_000);

    assertThat(backlog.whyNot("acme/web")).isEmpty();
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
