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

  /** Starts one; its address stands in the file once it can be used. */
  static Process start(Path data, Path ready) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            BrokerChild.class.getName(),
            data.toString(),
            ready.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
