package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@DisplayName("sessions.user: agents that run as another user")
class OtherUserIT {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  @TempDir Path folder;

  @ParameterizedTest(name = "level {0}")
  @EnumSource(
      value = Level.class,
      names = {"A", "B"})
  @DisplayName("it may neither end what holds it, nor read what is the runner's, nor become root")
  void anotherUserCanNeitherEndNorReadTheRunner(Level level) throws Exception {
    assumeTrue(ROOT, "only root becomes another user");
    Path secret = Files.writeString(folder.resolve("secret"), "secret\n");
    String script =
        "id -un; echo $HOME; kill -9 $PPID 2>/dev/null || echo not ended;"
            + " cat %s 2>/dev/null || echo not read; sudo -n id -un 2>/dev/null || echo not root;"
                .formatted(secret)
            + " read word; echo $word";
    var launch =
        new Launch(
            UUID.randomUUID().toString(),
            List.of("/bin/sh", "-c", script),
            Map.of("PATH", "/usr/bin:/bin", "HOME", "/root"),
            Path.of("/"),
            "prompt\n");

    ContainedProcess process = probe(level, "nobody").start(launch, Duration.ofSeconds(30));
    String output = new String(process.out().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.onExit().get(30, TimeUnit.SECONDS).code();

    assertThat(process.kill(KillLadder.now(Duration.ofSeconds(10))).survivors()).isZero();
    assertThat(output.lines())
        .containsExactly("nobody", "/nonexistent", "not ended", "not read", "not root", "prompt");
    assertThat(code).isZero();
  }

  @Test
  void anUnknownUserIsRejectedOnOneLine() {
    assertThatThrownBy(() -> probe(Level.A, "nobody-of-this-name"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.user")
        .message()
        .doesNotContain("\n");
  }

  // S4-4
  @Test
  void aNameServiceThatDoesNotAnswerFailsInTime() throws Exception {
    String hangs = getent("sleep 60 & sleep 60");

    assertThatThrownBy(() -> OtherUser.AgentUser.lookedUp(hangs, "ann", Duration.ofSeconds(1)))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.user ann")
        .hasMessageContaining("/etc/nsswitch.conf");
  }

  @Test
  void onlyRootMayRunAgentsAsAnotherUser() {
    assertThatThrownBy(() -> OtherUser.AgentUser.requireRoot("ann", "bob"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.user bob");
    assertThatCode(() -> OtherUser.AgentUser.requireRoot("root", "bob")).doesNotThrowAnyException();
  }

  @Test
  void aChildOfGetentDoesNotDelayTheStart() throws Exception {
    String leaves = getent("echo 'ann:x:1001:1002::/home/ann:/bin/sh'; sleep 60 &");

    assertThat(OtherUser.AgentUser.lookedUp(leaves, "ann", Duration.ofSeconds(10)))
        .isEqualTo(new OtherUser.AgentUser("ann", "1001", "1002", "/home/ann"));
  }

  private String getent(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("getent"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file.toString();
  }

  private Containment probe(Level level, String user) throws IOException {
    return ContainmentProbe.strongest(
            ContainmentSettings.in(folder), level, level, Optional.of(user))
        .containment();
  }
}
