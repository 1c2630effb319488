package dev.flyball.broker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a broker that does not run has kept of a topic, from its files: a command that only
 * shows something needs no broker for that.
 *
 * @param broker the broker's folder
 */
public record KeptTopic(Path broker, String topic) {
  private static final String SEGMENT = ".log";

  /** Takes records. */
  public interface Reader {
    /** Takes one; returns whether it wants more. */
    boolean take(long offset, long timestamp, byte @Nullable [] value);
  }

  /**
   * Passes the records with a key, in their order, to the reader until it returns false. What the
   * broker was writing when it was killed is not read.
   *
   * @param from the offset at which it begins
   * @return whether all were passed
   * @throws IOException if a file cannot be read, for example because a broker deletes it
   */
  public boolean read(String key, long from, Reader reader) throws IOException {
    int partitions = files(broker, topic + "-[0-9]*").size();
    if (partitions == 0) {
      return true;
    }
    byte[] wanted = key.getBytes(StandardCharsets.UTF_8);
    int partition = Utils.toPositive(Utils.murmur2(wanted)) % partitions;
    List<Path> segments = files(broker.resolve(topic + "-" + partition), "*" + SEGMENT);
    for (int i = 0; i < segments.size(); i++) {
      if (i + 1 < segments.size() && first(segments.get(i + 1)) <= from) {
        continue;
      }
      try (FileRecords records = FileRecords.open(segments.get(i).toFile(), false)) {
        for (RecordBatch batch : records.batches()) {
          if (batch.isControlBatch() || batch.lastOffset() < from) {
            continue;
          }
          for (Record each : batch) {
            if (each.offset() >= from
                && each.hasKey()
                && Arrays.equals(wanted, Utils.toArray(each.key()))
                && !reader.take(each.offset(), each.timestamp(), value(each))) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  private static byte @Nullable [] value(Record each) {
    return each.hasValue() ? Utils.toArray(each.value()) : null;
  }

  /** In the order of their names, which are numbers of the same length. */
  private static List<Path> files(Path folder, String names) throws IOException {
    var files = new ArrayList<Path>();
    if (Files.isDirectory(folder)) {
      try (var found = Files.newDirectoryStream(folder, names)) {
        found.forEach(files::add);
      }
    }
    files.sort(null);
    return files;
  }

  /** The offset of a segment's first record. */
  private static long first(Path segment) {
    return Long.parseLong(segment.getFileName().toString().replace(SEGMENT, ""));
  }
}
