package dev.flyball.ops.console.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.OutputChunk;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.testkit.KafkaFixture;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SessionOutputIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  @Test
  void oneSessionsLinesAreReadAndNoOthers() {
    // More sessions than partitions: some share this one's.
    for (int i = 0; i < 13; i++) {
      chunk("s" + i, 0, "first of s" + i);
    }
    KAFKA.produceRaw(topic(), "s5", "no chunk".getBytes(StandardCharsets.UTF_8));
    chunk("s5", 1, "second of s5");

    assertThat(read("s5", null))
        .extracting(OutputLine::line)
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("first of s5"),
            line -> assertThat(line).matches("\\[offset [0-9]+ cannot be read]"),
            line -> assertThat(line).isEqualTo("second of s5"));
    assertThat(read("s5", Instant.now().minusSeconds(60))).hasSize(3);
    assertThat(read("s5", Instant.now().plusSeconds(3600))).isEmpty();
    assertThat(read("unheard", null)).isEmpty();
  }

  @Test
  void aReaderGoesOnWhereAnEarlierOneEnded() {
    chunk("again", 0, "first");
    OutputPart first = part("again", null, null);
    assertThat(first.lines()).extracting(OutputLine::line).containsExactly("first");
    assertThat(first.more()).isFalse();
    SessionOutput.Place place = SessionOutput.Place.parse(first.next()).orElseThrow();
    chunk("again", 1, "second");
    chunk("again", 3, "fourth");

    assertThat(SessionOutput.Place.parse("1")).isEmpty();
    assertThat(part("again", null, place).lines())
        .extracting(OutputLine::line)
        .containsExactly("second", "[1 chunk is missing]", "fourth");
  }

  private static List<OutputLine> read(String session, @Nullable Instant since) {
    return part(session, since, null).lines();
  }

  private static OutputPart part(
      String session, @Nullable Instant since, SessionOutput.@Nullable Place from) {
    var known = new KnownSession(session, "a/b/1", since, false);
    try (var output = SessionOutput.open(KAFKA.clients("test"), known, from)) {
      return output.part(known, true);
    }
  }

  private static void chunk(String session, long seq, String line) {
    KAFKA.produce(
        topic(), session, new OutputChunk("t:1", seq, "out", Instant.now(), List.of(line)));
  }

  private static String topic() {
    return KAFKA.topics().sessionOutput();
  }
}
