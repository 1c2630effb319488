package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LockOwnerTest {
  @TempDir Path folder;

  @Test
  void aLockNamesItsOwnerAndALiveOwnerKeepsIt() {
    assertThat(LockOwner.gone(folder)).as("nobody ever").isFalse();

    try (DataLock held = DataLock.take(folder)) {
      assertThat(held).isNotNull();
      assertThat(LockOwner.gone(folder)).isFalse();
    }
  }

  @Test
  void aDeadOwnerIsGoneEvenIfItsPidWasGivenAwayAndOneElsewhereIsNot() throws IOException {
    Identity own = Identity.own();

    says(own.pid() + " " + (own.startTicks() - 1) + " " + own.bootId() + " " + own.pidNamespace());
    assertThat(LockOwner.gone(folder)).isTrue();
    says(own.pid() + " " + own.startTicks() + " another-boot " + own.pidNamespace());
    assertThat(LockOwner.gone(folder)).as("before a reboot").isTrue();
    says(own.pid() + " " + (own.startTicks() - 1) + " " + own.bootId() + " pid:[1]");
    assertThat(LockOwner.gone(folder)).as("in another container").isFalse();
    says("garbage");
    assertThat(LockOwner.gone(folder)).isFalse();
  }

  private void says(String line) throws IOException {
    Files.writeString(folder.resolve("flyball.owner"), line + "\n");
  }
}
