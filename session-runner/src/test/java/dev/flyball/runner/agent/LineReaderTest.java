package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

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
