package dev.flyball.containment.warden;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The warden in C: no warning, and no error of memory or arithmetic whatever it is given. */
@Tag("long")
@Timeout(300)
class WardenUnderSanitizersIT {
  private static final int ROUNDS = Integer.getInteger("flyball.warden.rounds", 50);

  /** What a sanitizer exits with when it finds something: no code of the warden. */
  private static final int FOUND = 99;

  /** The warden's environment is empty, so a sanitizer's options are part of the program. */
  private static final String SANITIZER_OPTIONS =
      """
      const char *__asan_default_options(void) { return "exitcode=99:detect_leaks=0"; }
      const char *__ubsan_default_options(void) { return "exitcode=99:halt_on_error=1"; }
      """;

  @TempDir Path folder;
  private Path source;

  @BeforeEach
  void source() throws IOException {
    source = folder.resolve("warden.c");
    try (InputStream in = NativeWarden.class.getResourceAsStream("warden.c")) {
      Files.copy(Objects.requireNonNull(in), source);
    }
  }

  @Test
  void itHasNoWarning() throws Exception {
    assertThat(
            compile(
                "-O2",
                "-Wall",
                "-Wextra",
                "-Wshadow",
                "-Wconversion",
                "-Wno-sign-conversion",
                "-Werror",
                "-fanalyzer"))
        .isEmpty();
  }

  @Test
  void noInputMakesItMisbehave() throws Exception {
    long seed = Long.getLong("flyball.seed", System.nanoTime());
    System.out.println("warden under sanitizers: -Dflyball.seed=" + seed);
    var random = new Random(seed);
    Path options = Files.writeString(folder.resolve("options.c"), SANITIZER_OPTIONS);
    assertThat(
            compile(
                "-O1",
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
                options.toString()))
        .isEmpty();
    for (int round = 0; round < ROUNDS; round++) {
      String level = random.nextBoolean() ? "a" : "b";
      run(random, level, round);
    }
  }

  private void run(Random random, String level, int round) throws Exception {
    Path launch = folder.resolve("launch");
    Files.write(launch, launch(random));
    Path deadline = folder.resolve("deadline");
    Files.write(deadline, deadline(random));
    Path prompt = Files.writeString(folder.resolve("prompt"), "the prompt");
    Path output = folder.resolve("output");
    var command =
        new ArrayList<>(
            List.of(
                folder.resolve("warden").toString(),
                level,
                "session",
                Long.toString(ProcessHandle.current().pid()),
                "20",
                launch.toString(),
                prompt.toString(),
                "-"));
    int changed = random.nextInt(3 * command.size());
    if (changed > 0 && changed < command.size()) {
      command.set(changed, word(random));
    }
    while (random.nextInt(8) == 0) {
      command.add(random.nextBoolean() ? word(random) : "/sys/fs/cgroup/missing");
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(deadline.toFile())
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(20, TimeUnit.SECONDS);
    process.destroyForcibly();

    String printed = Files.readString(output, ISO_8859_1);
    assertThat(ended).as("round %d: %s ends", round, command).isTrue();
    assertThat(process.exitValue())
        .as("round %d: %s%n%s", round, command, printed)
        .isNotEqualTo(FOUND);
    assertThat(printed).doesNotContain("Sanitizer", "runtime error");
  }

  /** Mostly a launch that works, else one that is cut off or changed somewhere. */
  private static byte[] launch(Random random) {
    String agent =
        random.nextBoolean() ? "sleep 0.01; exit 3" : "sleep 5 & setsid sleep 5 & exit 0";
    byte[] whole = ("3\0/bin/sh\0-c\0" + agent + "\0PATH=/usr/bin:/bin\0A=b\0").getBytes(US_ASCII);
    return cutOrChanged(random, whole);
  }

  private static byte[] deadline(Random random) {
    long now = (long) (Double.parseDouble(uptime()) * 100);
    long end = now + random.nextInt(-20, 60);
    long second = random.nextInt(4) == 0 ? end + 100 : end;
    byte[] whole = String.format("%15d %15d\n", end, second).getBytes(US_ASCII);
    return random.nextInt(4) == 0 ? new byte[0] : whole;
  }

  private static byte[] cutOrChanged(Random random, byte[] whole) {
    return switch (random.nextInt(6)) {
      case 0 -> Arrays.copyOf(whole, random.nextInt(whole.length + 1));
      case 1 -> {
        whole[random.nextInt(whole.length)] = (byte) random.nextInt(256);
        yield whole;
      }
      case 2 -> {
        byte[] any = new byte[random.nextInt(64)];
        random.nextBytes(any);
        yield any;
      }
      default -> whole;
    };
  }

  private static String word(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> "x".repeat(random.nextInt(5_000));
      case 1 -> "-1";
      case 2 -> "99999999999999999999";
      case 3 -> "mun";
      case 4 -> "%s%n%d";
      default -> "a";
    };
  }

  private static String uptime() {
    try {
      return Files.readString(Path.of("/proc/uptime")).split(" ")[0];
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private String compile(String... options) throws Exception {
    var command = new ArrayList<>(List.of("cc"));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", folder.resolve("warden").toString(), source.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
