package dev.flyball.program.story;

import dev.flyball.program.launch.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The wall clock of a process, stepped from outside by a preloaded library of a few lines of C. */
record SteppedClock(Path library, Path step) {
  /** Compiles the library with the machine's C compiler (Debian: gcc and libc6-dev). */
  static SteppedClock in(Path folder) {
    try {
      Path source = Files.createDirectories(folder).resolve("stepped-clock.c");
      try (var text = SteppedClock.class.getResourceAsStream("stepped-clock.c")) {
        Files.copy(text, source);
      }
      Path library = folder.resolve("stepped-clock.so");
      var _ =
          Shell.said("cc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString());
      var clock = new SteppedClock(library, folder.resolve("clock-step"));
      clock.step(Duration.ZERO);
      return clock;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a process needs to live by this clock. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "CLOCK_STEP", step.toString());
  }

  /** The files that the environment names. */
  List<Path> files() {
    return List.of(library, step);
  }

  /** From now on that process's wall clock is ahead by this much. */
  void step(Duration ahead) {
    byte[] seconds =
        ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(ahead.toSeconds()).array();
    try {
      // In place: the process has mapped this file.
      Files.write(step, seconds, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
