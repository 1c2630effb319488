package dev.flyball.testkit;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Runs a broker until standard input ends: {@code folder port readyFile host}; writes its port to
 * the file when it is up.
 */
public final class BrokerProcessMain {
  private BrokerProcessMain() {}

  /** Starts, waits, stops. */
  public static void main(String[] args) throws IOException {
    var config = BrokerConfig.in(Path.of(args[0])).at(args[3], Integer.parseInt(args[1])).opened();
    Path ready = Path.of(args[2]);
    try (var broker = EmbeddedBroker.start(config)) {
      Path part =
          Files.writeString(ready.resolveSibling("ready.part"), Integer.toString(broker.port()));
      Files.move(part, ready, StandardCopyOption.ATOMIC_MOVE);
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    }
  }
}
