package dev.flyball.containment.warden;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.containment.CannotStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the warden in C comes from, and what is said where it cannot be had. */
@Timeout(60)
class NativeWardenIT {
  private static final List<String> REAL = List.of("cc");

  @TempDir Path folder;

  @Test
  void itIsCompiledOnceAndReplacesThatOfAnOlderSource() throws Exception {
    Files.createFile(folder.resolve("warden-0123456789abcdef-amd64"));

    Path program = NativeWarden.program(folder, REAL);

    assertThat(NativeWarden.program(folder, List.of("no-such-compiler"))).isEqualTo(program);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(program)))
        .isEqualTo("rwx------");
    assertThat(files()).containsExactly(program);
  }

  @Test
  void aProgramThatDoesNotRunHereIsCompiledAgain() throws Exception {
    Path program = NativeWarden.program(folder, REAL);
    Files.write(program, new byte[] {0x7f, 'E', 'L', 'F', 2, 2, 1});

    assertThat(NativeWarden.program(folder, REAL)).isEqualTo(program);

    assertThat(Files.size(program)).isGreaterThan(1_000);
  }

  @Test
  void noCompiler() {
    assertThatThrownBy(() -> NativeWarden.program(folder, List.of("no-such-compiler")))
        .isInstanceOfSatisfying(
            CannotStart.class, e -> assertThat(e.code()).isEqualTo("no-compiler"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "'echo no header file >&2; exit 1', no-compiler",
    "'kill -9 $$', no-compiler",
    "'while [ \"$1\" != -o ]; do shift; done; echo garbage >$2', not-executable"
  })
  void aCompilerThatFails(String script, String code) throws Exception {
    Path compiler = Files.writeString(folder.resolve("compiler"), "#!/bin/sh\n" + script + "\n");
    compiler.toFile().setExecutable(true);
    Path data = Files.createDirectory(folder.resolve("data"));

    assertThatThrownBy(() -> NativeWarden.program(data, List.of(compiler.toString())))
        .isInstanceOfSatisfying(
            CannotStart.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.getMessage()).doesNotContain("\n");
            });
  }

  @ParameterizedTest
  @CsvSource({"noexec, not-executable", "ro, no-compiler"})
  void aFolderThatHoldsNoPrograms(String option, String code) throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root mounts");
    run("mount", "-t", "tmpfs", "-o", option, "flyball-test", folder.toString());
    try {
      assertThatThrownBy(() -> NativeWarden.program(folder, REAL))
          .isInstanceOfSatisfying(CannotStart.class, e -> assertThat(e.code()).isEqualTo(code));
    } finally {
      run("umount", folder.toString());
    }
  }

  @Test
  @DisplayName("an agent ignores no signal: a runner in a shell's background ignores INT")
  void signalsThatTheRunnerIgnoresAreNotIgnored() throws Exception {
    ProcessBuilder start = BareWarden.start(folder, "b", "/bin/cat", "/proc/self/status");
    start.command().addAll(0, List.of("sh", "-c", "trap '' INT USR1; exec \"$@\"", "sh"));
    Process warden = start.start();

    // The C library keeps 32 and 33 for itself.
    assertThat(new String(warden.getInputStream().readAllBytes(), US_ASCII))
        .contains("SigBlk:\t0000000000000000")
        .containsPattern("SigIgn:\t(0000000000000000|0000000180000000)");
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }
}
