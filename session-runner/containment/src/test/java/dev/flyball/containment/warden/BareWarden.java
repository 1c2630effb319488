package dev.flyball.containment.warden;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.flyball.containment.BootClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The warden in C as a session starts it, without a runner's part. */
final class BareWarden {
  private BareWarden() {}

  /** The start of an agent that may live for ten minutes; a tick is 20 ms. */
  static ProcessBuilder start(Path folder, String level, String... agent) throws IOException {
    String launch = agent.length + "\0" + String.join("\0", agent) + "\0PATH=/usr/bin:/bin\0";
    long end = BootClock.centis() + 60_000;
    Path deadline = folder.resolve("deadline");
    Files.writeString(deadline, String.format(Locale.ROOT, "%15d %15d\n", end, end));
    return new ProcessBuilder(
            NativeWarden.program(folder, List.of("cc")).toString(),
            level,
            "session",
            Long.toString(ProcessHandle.current().pid()),
            "20",
            Files.write(folder.resolve("launch"), launch.getBytes(US_ASCII)).toString(),
            Files.createFile(folder.resolve("prompt")).toString(),
            "-")
        .redirectInput(deadline.toFile());
  }
}
