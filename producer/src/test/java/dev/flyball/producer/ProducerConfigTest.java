package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProducerConfigTest {
  private static final Path DATA = Path.of("data");

  @Test
  void defaultsAreTheDesigns() {
    ProducerConfig config =
        ProducerConfig.defaults(DATA, List.of(SourceConfig.Jsonl.of(Path.of("x.jsonl"))));

    assertThat(config.clocks())
        .isEqualTo(
            new PollClocks(Duration.ofMinutes(3), Duration.ofMinutes(1), Duration.ofSeconds(30)));
    assertThat(config.textLimit()).isEqualTo(16_384);
    assertThat(config.fingerprintFields()).containsExactly("text", "title", "type");
    assertThat(config.sources().getFirst().key()).isEqualTo("default/items");
    assertThat(config.sources().getFirst().interval()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void whatCannotWorkIsRefusedByName() {
    var source = SourceConfig.Jsonl.of(Path.of("x.jsonl"));

    assertThatThrownBy(() -> ProducerConfig.defaults(DATA, List.of(source, source)))
        .hasMessage("source 'default/items' is configured twice");
    assertThatThrownBy(() -> clocks(10, 4, 2))
        .hasMessageContaining("poll.lease 10s")
        .hasMessageContaining("poll.beat 4s")
        .hasMessageContaining("poll.request 2s");
    assertThatThrownBy(() -> clocks(10, 0, 2)).hasMessageContaining("poll.beat 0s");
    assertThatThrownBy(() -> clocks(10, 1, 0)).hasMessageContaining("poll.request 0s");
    assertThatThrownBy(() -> config(10, List.of("text"))).hasMessageContaining("text.limit 10");
    assertThatThrownBy(() -> config(1024, List.of("views")))
        .hasMessageContaining("fingerprint fields [views]");
    assertThatThrownBy(() ->
            new SourceConfig.Jsonl(
                new SourceConfig.Identity("Default", "x", Duration.ofSeconds(1)),
                SourceRules.DEFAULT,
                Path.of("x")))
        .hasMessageContaining("must be [a-z0-9-]+");
  }

  private static ProducerConfig config(int limit, List<String> fields) {
    return new ProducerConfig(
        DATA, List.of(), PollClocks.DEFAULT, Breaker.Limits.DEFAULT, 10, limit, fields);
  }

  private static PollClocks clocks(int lease, int beat, int request) {
    return new PollClocks(
        Duration.ofSeconds(lease), Duration.ofSeconds(beat), Duration.ofSeconds(request));
  }
}
