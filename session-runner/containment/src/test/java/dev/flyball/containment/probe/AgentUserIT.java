package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.CannotStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Looking up the user that agents run as, with programs in the place of getent. */
@Timeout(20)
class AgentUserIT {
  @TempDir Path folder;

  // S4-4
  @Test
  void aNameServiceThatDoesNotAnswerFailsInTime() throws Exception {
    String hangs = getent("sleep 60 & sleep 60");

    assertThatThrownBy(() -> AgentUser.lookedUp(hangs, "ann", Duration.ofSeconds(1)))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.user ann")
        .hasMessageContaining("/etc/nsswitch.conf");
  }

  @Test
  void onlyRootMayRunAgentsAsAnotherUser() {
    assertThatThrownBy(() -> AgentUser.requireRoot("ann", "bob"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.user bob");
    assertThatCode(() -> AgentUser.requireRoot("root", "bob")).doesNotThrowAnyException();
  }

  @Test
  void aChildOfGetentDoesNotDelayTheStart() throws Exception {
    String leaves = getent("echo 'ann:x:1001:1002::/home/ann:/bin/sh'; sleep 60 &");

    assertThat(AgentUser.lookedUp(leaves, "ann", Duration.ofSeconds(10)))
        .isEqualTo(new AgentUser("ann", "1001", "1002", "/home/ann"));
  }

  private String getent(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("getent"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file.toString();
  }
}
