package dev.flyball.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A broker in a JVM of its own, to be killed; ends with its standard input. */
final class BrokerChild {
  private BrokerChild() {}

  public static void main(String[] args) throws IOException {
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(Path.of(args[0])))) {
      Path ready = Path.of(args[1]);
      Path written =
          Files.writeString(ready.resolveSibling("ready.part"), broker.bootstrapServers());
      Files.move(written, ready, StandardCopyOption.ATOMIC_MOVE);
      int ended = System.in.read();
      System.out.println("standard input ended: " + ended);
    }
  }
}
