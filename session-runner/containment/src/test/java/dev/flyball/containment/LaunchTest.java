package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S4-19: git below an agent cannot ask for a login")
final class LaunchTest {
  @TempDir private Path home;

  @Test
  @DisplayName("a fetch over ssh starts ssh in batch mode, without a way to ask for a password")
  void sshCannotAsk() throws Exception {
    program("ssh", "echo \"$@\" >>\"$HOME/ssh\"; env >>\"$HOME/ssh\"; exit 255");

    assertThat(git("ls-remote", "ssh://git@tracker.example/repo.git")).isNotZero();

    assertThat(Files.readAllLines(home.resolve("ssh")))
        .contains("SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=never")
        .first()
        .asString()
        .startsWith("-oBatchMode=yes ");
  }

  @Test
  @DisplayName(
      "a login over https starts no credential helper and no askpass of the user's settings")
  void noHelperIsAsked() throws Exception {
    program("asked", "echo \"$@\" >>\"$HOME/helper\"; exit 1");
    Files.writeString(
        home.resolve(".gitconfig"),
        "[credential]\n helper = !asked helper\n[core]\n askPass = asked\n");
    Files.writeString(home.resolve("url"), "protocol=https\nhost=tracker.example\n\n");

    assertThat(git("credential", "fill")).isNotZero();

    assertThat(home.resolve("helper")).doesNotExist();
  }

  private void program(String name, String script) throws IOException {
    Path file = Files.createDirectories(home.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Runs git as an agent would, with the test's programs first; returns its exit code. */
  private int git(String... arguments) throws Exception {
    var launch =
        new Launch(
            "session",
            List.of("git"),
            Map.of("PATH", home.resolve("bin") + ":/usr/bin:/bin", "HOME", home.toString()),
            home,
            "");
    var builder = new ProcessBuilder("git");
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    builder.environment().putAll(launch.wholeEnvironment());
    builder.directory(home.toFile());
    Path url = home.resolve("url");
    builder.redirectInput(Files.exists(url) ? url.toFile() : new java.io.File("/dev/null"));
    builder.redirectErrorStream(true).redirectOutput(home.resolve("out").toFile());
    Process git = builder.start();
    assertThat(git.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return git.exitValue();
  }
}
