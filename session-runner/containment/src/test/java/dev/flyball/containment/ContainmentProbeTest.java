package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class ContainmentProbeTest {
  @Test
  void onAnotherSystemTheStartIsRefusedWithTheFix() {
    assertThatThrownBy(() -> ContainmentProbe.requireLinux("Mac OS X"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("Mac OS X")
        .hasMessageContaining("; run Flyball in a Linux container")
        .message()
        .doesNotContain("\n");
    assertThatCode(() -> ContainmentProbe.requireLinux("Linux")).doesNotThrowAnyException();
  }
}
