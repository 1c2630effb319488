package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.roles.ProcessScope.EcsLine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class EcsLineTest {
  private final LoggerContext context = new LoggerContext();

  @Test
  @DisplayName("a line is one object with the common fields, and the key-values as fields (S0-40)")
  void aLineIsOneObject() {
    JsonNode line =
        line(
            "dev.flyball.runner.execution.SessionRun",
            null,
            "session ended: session={} exit={} in {} ms, outcome={}",
            "s1",
            0,
            12,
            "completed");

    assertThat(line.path("message").asText())
        .isEqualTo("session ended: session=s1 exit=0 in 12 ms, outcome=completed");
    assertThat(line.path("log.level").asText()).isEqualTo("INFO");
    assertThat(line.path("log.logger").asText()).endsWith("SessionRun");
    assertThat(line.path("@timestamp").asText()).endsWith("Z");
    assertThat(line.path("ecs.version").asText()).isNotEmpty();
    assertThat(RecordJson.write(line.path("flyball")))
        .isEqualTo("{\"session\":\"s1\",\"exit\":\"0\",\"outcome\":\"completed\"}");
  }

  @Test
  void anExceptionHasItsTypeMessageAndStack() {
    JsonNode line =
        line("dev.flyball.X", new IllegalStateException("full\ndisk"), "failed: path={}", "/x");

    assertThat(line.path("error.type").asText()).isEqualTo("java.lang.IllegalStateException");
    assertThat(line.path("error.message").asText()).isEqualTo("full\ndisk");
    assertThat(line.path("error.stack_trace").asText()).contains("EcsLineTest");
  }

  @Test
  void anothersKeysAreNoFields() {
    assertThat(line("org.apache.kafka.X", null, "offset={}", 7).has("flyball")).isFalse();
  }

  @Test
  void whatKafkaSaysAtEachStopIsLeftOutUnlessAtDebug() {
    var filter = new ProcessScope.AtEachStop();
    filter.setContext(context);
    String usual = "[x] Attempting to close NetworkClient that has already been closed.";

    assertThat(filter.decide(event("k.NetworkClient", null, usual))).isEqualTo(FilterReply.DENY);
    assertThat(filter.decide(event("k.NetworkClient", null, "Connection to node 1 failed")))
        .isEqualTo(FilterReply.NEUTRAL);
    context.putProperty("flyball.log.level", "debug");
    assertThat(filter.decide(event("k.NetworkClient", null, usual))).isEqualTo(FilterReply.NEUTRAL);
  }

  private LoggingEvent event(
      String logger, @Nullable Throwable thrown, String message, Object... arguments) {
    return new LoggingEvent(
        "here", context.getLogger(logger), Level.INFO, message, thrown, arguments);
  }

  private JsonNode line(
      String logger, @Nullable Throwable thrown, String message, Object... arguments) {
    String text = new EcsLine().convert(event(logger, thrown, message, arguments));
    assertThat(text).hasLineCount(1);
    return RecordJson.parse(text);
  }
}
