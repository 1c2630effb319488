package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Identities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OwnerTest {
  @TempDir Path folder;

  @Test
  void aLockSaysWhoseItIsAndWhoeverLivesIsNotGone() {
    assertThat(Owner.gone(folder)).as("nobody ever").isFalse();

    try (DataLock held = DataLock.take(folder)) {
      assertThat(held).isNotNull();
      assertThat(Owner.gone(folder)).isFalse();
    }
  }

  @Test
  void aDeadOwnerIsGoneEvenIfItsPidWasGivenAwayAndOneElsewhereIsNot() throws IOException {
    Identity own = Identities.own();

    says(own.pid() + " " + (own.startTicks() - 1) + " " + own.bootId() + " " + own.pidNamespace());
    assertThat(Owner.gone(folder)).isTrue();
    says(own.pid() + " " + own.startTicks() + " another-boot " + own.pidNamespace());
    assertThat(Owner.gone(folder)).as("before a reboot").isTrue();
    says(own.pid() + " " + (own.startTicks() - 1) + " " + own.bootId() + " pid:[1]");
    assertThat(Owner.gone(folder)).as("in another container").isFalse();
    says("garbage");
    assertThat(Owner.gone(folder)).isFalse();
  }

  private void says(String line) throws IOException {
    Files.writeString(folder.resolve("flyball.owner"), line + "\n");
  }
}
