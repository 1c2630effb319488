package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.producer.source.SourceConfig;
import dev.flyball.producer.source.SourceRules;
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

    assertThat(config.pollLease()).isEqualTo(Duration.ofMinutes(3));
    assertThat(config.pollBeat()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.textLimit()).isEqualTo(16_384);
    assertThat(config.fingerprintFields())
        .containsExactly("state", "tags", "text", "title", "type");
    assertThat(config.sources().getFirst().key()).isEqualTo("default/items");
    assertThat(config.sources().getFirst().interval()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void whatCannotWorkIsRefusedByName() {
    var source = SourceConfig.Jsonl.of(Path.of("x.jsonl"));

    assertThatThrownBy(() -> ProducerConfig.defaults(DATA, List.of(source, source)))
        .hasMessage("source 'default/items' is configured twice");
    assertThatThrownBy(
            () -> config(Duration.ofSeconds(10), Duration.ofSeconds(5), 1024, List.of("text")))
        .hasMessageContaining("poll.beat PT5S");
    assertThatThrownBy(
            () -> config(Duration.ofSeconds(10), Duration.ofSeconds(1), 10, List.of("text")))
        .hasMessageContaining("text.limit 10");
    assertThatThrownBy(
            () -> config(Duration.ofSeconds(10), Duration.ofSeconds(1), 1024, List.of("views")))
        .hasMessageContaining("fingerprint fields [views]");
    assertThatThrownBy(() ->
            new SourceConfig.Jsonl(
                new SourceConfig.Identity("default", "x", Duration.ofMillis(999)),
                SourceRules.DEFAULT,
                Path.of("x")))
        .hasMessageContaining("sources[x].interval");
    assertThatThrownBy(() ->
            new SourceConfig.Jsonl(
                new SourceConfig.Identity("Default", "x", Duration.ofSeconds(1)),
                SourceRules.DEFAULT,
                Path.of("x")))
        .hasMessageContaining("must be [a-z0-9-]+");
  }

  private static ProducerConfig config(
      Duration lease, Duration beat, int limit, List<String> fields) {
    return new ProducerConfig(DATA, List.of(), lease, beat, limit, fields);
  }
}
