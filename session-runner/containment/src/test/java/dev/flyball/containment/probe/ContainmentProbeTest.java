package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ContainmentProbeTest {
  @Test
  void onAnotherSystemTheStartFailsWithTheFix() {
    assertThatThrownBy(() -> ContainmentProbe.requireLinux("Mac OS X"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("Mac OS X")
        .hasMessageContaining("Linux")
        .message()
        .doesNotContain("\n");
    assertThatCode(() -> ContainmentProbe.requireLinux("Linux")).doesNotThrowAnyException();
  }

  @Test
  void belowTheMinimumTheStartFailsWithTheFixOnOneLine(@TempDir Path folder) {
    assertThatThrownBy(
            () -> ContainmentProbe.strongest(ContainmentSettings.in(folder), Level.A_PLUS, Level.A))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("A+")
        .hasMessageContaining("containment.minimum")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void withoutAWardenAtLevelBTheStartFailsWithTheFixOnOneLine(@TempDir Path folder) {
    assertThatThrownBy(() ->
            ContainmentProbe.strongest(
                ContainmentSettings.in(folder).withoutWarden(), Level.B, Level.B))
        .isInstanceOf(CannotStart.class)
        .message()
        .endsWith(
            "; install gcc and libc6-dev, or run the release or the image, which bring the warden")
        .doesNotContain("\n");
  }
}
