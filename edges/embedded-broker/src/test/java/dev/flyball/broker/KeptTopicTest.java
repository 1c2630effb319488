package dev.flyball.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a topic without its broker. */
final class KeptTopicTest {
  @TempDir Path broker;

  @Test
  void recordsOfAKeyComeInTheirOrderFromAnyOffsetAndATornEndIsLeftOut() throws IOException {
    segment(0, "a", "1", "b", "2", "a", "3");
    Path last = segment(3, "a", "4", "a", "5");
    byte[] whole = Files.readAllBytes(last);
    Files.write(last, Arrays.copyOf(whole, whole.length / 2), StandardOpenOption.APPEND);
    Files.createDirectories(broker.resolve("other-0"));

    assertThat(read("a", 0, 9)).containsExactly("0:1", "2:3", "3:4", "4:5");
    assertThat(read("a", 3, 9)).containsExactly("3:4", "4:5");
    assertThat(read("a", 1, 1)).as("until the reader has enough").containsExactly("2:3");
    assertThat(read("c", 0, 9)).isEmpty();
    assertThat(new KeptTopic(broker, "none").read("a", 0, (_, _, _) -> true)).isTrue();
  }

  private List<String> read(String key, long from, int most) throws IOException {
    var read = new ArrayList<String>();
    boolean all =
        new KeptTopic(broker, "topic")
            .read(
                key,
                from,
                (offset, _, value) -> {
                  read.add(offset + ":" + new String(Objects.requireNonNull(value), UTF_8));
                  return read.size() < most;
                });
    assertThat(all).isEqualTo(read.size() < most);
    return read;
  }

  /** Writes a segment of the topic's only partition: keys, each with its value. */
  private Path segment(long first, String... pairs) throws IOException {
    var records = new ArrayList<SimpleRecord>();
    for (int i = 0; i < pairs.length; i += 2) {
      records.add(new SimpleRecord(pairs[i].getBytes(UTF_8), pairs[i + 1].getBytes(UTF_8)));
    }
    Path folder = Files.createDirectories(broker.resolve("topic-0"));
    Path file = folder.resolve("%020d.log".formatted(first));
    try (FileRecords written = FileRecords.open(file.toFile())) {
      written.append(
          MemoryRecords.withRecords(
              first, Compression.gzip().build(), records.toArray(SimpleRecord[]::new)));
    }
    return file;
  }
}
