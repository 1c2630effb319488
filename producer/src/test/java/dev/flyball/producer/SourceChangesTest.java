package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-51: what another configuration means for sources")
class SourceChangesTest {
  private static final SourceRules OWN_FIELDS =
      TestSources.rules(List.of("title"), Set.of(), false);

  @Test
  void sourcesComeGoAndChange() {
    SourceChanges changes =
        between(
            config(16384, "title", source("a", 5), source("b", 5), source("c", 5)),
            config(16384, "title", source("d", 5), source("c", 6), source("a", 5)));

    assertThat(changes.added()).containsExactly(source("d", 5));
    assertThat(changes.changed()).containsExactly(source("c", 6));
    assertThat(changes.removed()).containsExactly("acme/b");
    assertThat(changes.text()).isEqualTo("added acme/d, changed acme/c, removed acme/b");
  }

  @Test
  void theSameInAnotherOrderIsNoChange() {
    SourceChanges changes =
        between(
            config(16384, "title", source("a", 5), source("b", 5)),
            config(16384, "title", source("b", 5), source("a", 5)));

    assertThat(changes.none()).isTrue();
    assertThat(changes.text()).isNotBlank();
  }

  @Test
  void anotherTextLimitChangesEverySource() {
    assertThat(
            between(
                    config(16384, "title", source("a", 5), source("b", 5, OWN_FIELDS)),
                    config(8192, "title", source("a", 5), source("b", 5, OWN_FIELDS)))
                .changed())
        .hasSize(2);
  }

  @Test
  void otherFingerprintFieldsChangeTheSourcesWithoutFieldsOfTheirOwn() {
    assertThat(
            between(
                    config(16384, "title", source("a", 5), source("b", 5, OWN_FIELDS)),
                    config(16384, "state", source("a", 5), source("b", 5, OWN_FIELDS)))
                .changed())
        .containsExactly(source("a", 5));
  }

  @Test
  @DisplayName(
      "S0-32: changed breaker settings apply immediately to every tracker; a file has no breaker")
  void anotherBreakerChangesTheTrackers() {
    SourceConfig tracker =
        TestSources.gitHub(URI.create("https://api.github.com"), new Credential.None());
    ProducerConfig before = config(16384, "title", source("a", 5), tracker);
    var next =
        new ProducerConfig(
            before.data(),
            before.sources(),
            before.clocks(),
            new Breaker.Limits(5, Duration.ofMinutes(1)),
            before.backlog(),
            before.textLimit(),
            before.fingerprintFields());

    assertThat(between(before, next).changed()).containsExactly(tracker);
    var app =
        new ProducerApp(
            before, KafkaSettings.of("localhost:9"), new Telemetry(), new TrackerLimits());
    assertThat(app.reconfigure(next).changed())
        .as("what a service goes by from then on")
        .containsExactly(tracker);
    assertThat(app.reconfigure(next).none()).as("and it stays").isTrue();
  }

  @Test
  void aRuleIsAChange() {
    SourceConfig parked = source("a", 5, TestSources.rules(List.of(), Set.of("parked"), false));

    assertThat(
            between(config(16384, "title", source("a", 5)), config(16384, "title", parked))
                .changed())
        .containsExactly(parked);
  }

  private static SourceChanges between(ProducerConfig before, ProducerConfig next) {
    return SourceChanges.between(before, next);
  }

  private static ProducerConfig config(int textLimit, String field, SourceConfig... sources) {
    return new ProducerConfig(
        Path.of("data"),
        List.of(sources),
        PollClocks.DEFAULT,
        Breaker.Limits.DEFAULT,
        ProducerConfig.DEFAULT_BACKLOG,
        textLimit,
        List.of(field));
  }

  private static SourceConfig source(String name, int seconds) {
    return source(name, seconds, SourceRules.DEFAULT);
  }

  private static SourceConfig source(String name, int seconds, SourceRules rules) {
    return new SourceConfig.Jsonl(
        new SourceConfig.Identity("acme", name, Duration.ofSeconds(seconds)), rules, Path.of(name));
  }
}
