package dev.flyball.ops.console.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.OutputChunk;
import dev.flyball.ops.console.output.SessionOutput.OrderedLines;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OrderedLinesTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  private final OrderedLines unrolled = new OrderedLines(0);

  @Test
  void linesComeInTheirOrderWithTheirStream() {
    assertThat(unrolled.take(chunk(0, "out", "a", "b")))
        .containsExactly(new OutputLine(T, "out", "a"), new OutputLine(T, "out", "b"));
    assertThat(unrolled.take(chunk(1, "err", "c"))).containsExactly(new OutputLine(T, "err", "c"));
  }

  @Test
  void whatRetentionTookIsSaidWhereItIsMissing() {
    assertThat(unrolled.take(chunk(3, "out", "late")))
        .extracting(OutputLine::stream)
        .containsExactly(OutputLine.GAP, "out");
    assertThat(gap(chunk(5, "out", "later"))).startsWith("[1 ");
    assertThat(gap(chunk(8, "out", "latest"))).startsWith("[2 ");
  }

  @Test
  void aChunkThatWasSentTwiceShowsOnce() {
    unrolled.take(chunk(0, "out", "a"));

    assertThat(unrolled.take(chunk(0, "out", "a"))).isEmpty();
  }

  private String gap(OutputChunk chunk) {
    OutputLine first = unrolled.take(chunk).getFirst();
    assertThat(first.stream()).isEqualTo(OutputLine.GAP);
    return first.line();
  }

  private static OutputChunk chunk(long seq, String stream, String... lines) {
    return new OutputChunk("t:1", seq, stream, T, List.of(lines));
  }
}
