package dev.flyball.runner.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.UnreadableRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {

  @Test
  void readsWhatTheIndexKeeps() {
    assertThat(read("{\"request\":\"r\",\"priority\":2,\"since\":\"2026-01-02T03:04:05Z\"}"))
        .isEqualTo(
            new RequestHead(
                "r", 2, Instant.parse("2026-01-02T03:04:05Z").toEpochMilli(), null, null, null));
  }

  @Test
  void readsWhichSourceReadTheItem() {
    String json =
        "{\"request\":\"r\",\"since\":\"2026-01-02T03:04:05Z\",\"snapshot\":{\"tags\":[\"polledBy\",{}],"
            + "\"fingerprint\":{\"polledBy\":\"no\"},\"polledBy\":\"acme/file\",\"title\":\"t\"},"
            + "\"profile\":\"deep\"}";

    assertThat(read(json).polledBy()).isEqualTo("acme/file");
    assertThat(read(json).profile()).isEqualTo("deep");
    assertThat(
            read("{\"request\":\"r\",\"since\":\"2026-01-02T03:04:05Z\",\"snapshot\":7}")
                .polledBy())
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+1000000000-12-31T23:59:59Z",
        "-1000000000-01-01T00:00:00Z",
        "yesterday",
        "",
      })
  void aTimeThatCannotBeCountedIsUnreadableAndNothingElse(String since) {
    assertThatThrownBy(() -> read("{\"request\":\"r\",\"since\":\"" + since + "\"}"))
        .isInstanceOf(UnreadableRecord.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "provider"})
  void anIdThatNoClaimCanNameIsUnreadable(String field) {
    String most = "x".repeat(1_000);
    String json = "{\"request\":\"r\",\"since\":\"2026-02-10T08:00:00Z\",\"%s\":\"%s\"}";

    assertThat(read(json.formatted(field, most))).isNotNull();
    assertThatThrownBy(() -> read(json.formatted(field, most + "x")))
        .isInstanceOf(UnreadableRecord.class);
  }

  private static RequestHead read(String json) {
    return RequestHead.read(json.getBytes(StandardCharsets.UTF_8));
  }
}
