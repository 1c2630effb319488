package dev.flyball.standalone.role;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the Kafka of a data folder's {@code up} or {@code run} is, for commands that are given the
 * folder. The file names the process that wrote it, for it outlives a kill: the port may be
 * anybody's by then.
 */
public final class KafkaAddress {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaAddress.class);
  private static final String NAME = "kafka.address";

  /** Each program works a start out from the machine's clock, which others set meanwhile. */
  private static final long SLACK_MILLIS = 5_000;

  private KafkaAddress() {}

  /** Writes it down; whoever cannot read it later names the servers instead. */
  public static void tell(Path data, String servers) {
    ProcessHandle self = ProcessHandle.current();
    Path next = data.resolve(NAME + ".next");
    try {
      Files.writeString(next, self.pid() + " " + began(self).toEpochMilli() + " " + servers + "\n");
      Files.move(next, data.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("commands will not find Kafka by {}: {}", data, e.toString());
    }
  }

  /** The servers, if the process that wrote them lives. */
  static Optional<String> of(Path data) {
    String[] words;
    try {
      words = Files.readString(data.resolve(NAME), StandardCharsets.UTF_8).strip().split(" ");
    } catch (IOException nobody) {
      return Optional.empty();
    }
    if (words.length != 3 || !words[0].matches("[0-9]{1,18}")) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(words[0]))
        .filter(ProcessHandle::isAlive)
        .filter(writer -> words[1].matches("[0-9]{1,18}"))
        .filter(writer ->
            Math.abs(began(writer).toEpochMilli() - Long.parseLong(words[1])) <= SLACK_MILLIS)
        .map(_ -> words[2]);
  }

  private static Instant began(ProcessHandle process) {
    return process.info().startInstant().orElse(Instant.EPOCH);
  }
}
