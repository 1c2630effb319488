package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.agent.AgentOutput.LineReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LineReaderTest {
  @Test
  void linesComeWithoutTheirEnds() throws IOException {
    assertThat(lines("a\r\n\nb\nlast", 10)).containsExactly("a", "", "b", "last");
  }

  @Test
  @DisplayName("a 30 MB line is cut at its limit and marked, and the next line is whole")
  void aLongLineIsCutAndMarked() throws IOException {
    String text = "x".repeat(30 << 20) + "\nnext\n";

    List<String> lines = lines(text, 10 << 20);

    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst())
        .hasSize((10 << 20) + " [cut, 31457280 bytes]".length())
        .endsWith(" [cut, 31457280 bytes]");
    assertThat(lines.getLast()).isEqualTo("next");
  }

  @Test
  @DisplayName("a long string in a line of JSON is shortened, and the line stays JSON")
  void aLongStringIsShortened() throws IOException {
    for (String part : List.of("x", "\\n", "\\u0041", "\u20ac", "\\\\", "\\\"")) {
      String text = "{\"type\":\"t\",\"a\":\"" + part.repeat(40_000) + "\",\"b\":\"short\"}\nnext";

      List<String> lines = lines(text, 10_000);

      assertThat(lines).hasSize(2);
      assertThat(lines.getFirst()).as(part).hasSizeBetween(800, 4_000);
      var object = JsonLinesReader.object(lines.getFirst()).orElseThrow();
      assertThat(object.path("b").asText()).isEqualTo("short");
      assertThat(object.path("a").asText()).doesNotContain("\ufffd");
      assertThat(lines.getLast()).isEqualTo("next");
    }
  }

  @Test
  void manyLongStringsLeaveRoomForWhatFollows() throws IOException {
    String text =
        "{\"type\":\"t\",\"a\":["
            + ("\"" + "x".repeat(20_000) + "\",").repeat(50)
            + "0],\"b\":\"short\"}";

    String line = lines(text, 10_000).getFirst();

    assertThat(JsonLinesReader.object(line).orElseThrow().path("b").asText()).isEqualTo("short");
  }

  @Test
  void aLineOfJsonWithoutStringsIsCutAndMarked() throws IOException {
    String text = "{\"a\":[" + "0,".repeat(10_000) + "0]}";

    assertThat(lines(text, 1_000).getFirst())
        .startsWith("{\"a\":[0,")
        .endsWith("[cut, " + text.length() + " bytes]");
  }

  @Test
  void anySplitOfTheBytesGivesTheSameLines() throws IOException {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    String text = "one\ntwo \u00e4\u20ac\n\n" + "y".repeat(70_000) + "\nend";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);

    var in =
        new ByteArrayInputStream(bytes) {
          @Override
          public synchronized int read(byte[] to, int from, int length) {
            return super.read(to, from, Math.min(length, 1 + random.nextInt(700)));
          }
        };

    assertThat(lines(in, 100_000)).as("seed %d", seed).isEqualTo(text.lines().toList());
  }

  private static List<String> lines(String text, int max) throws IOException {
    return lines(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), max);
  }

  private static List<String> lines(InputStream in, int max) throws IOException {
    var reader = new LineReader(in, max);
    var lines = new ArrayList<String>();
    for (String line = reader.next(); line != null; line = reader.next()) {
      lines.add(line);
    }
    return lines;
  }
}
