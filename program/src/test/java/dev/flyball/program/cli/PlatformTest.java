package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PlatformTest {
  @Test
  void windowsIsRefusedWithOneLineAndTheMend() {
    assertThat(Platform.refusal("Windows 11"))
        .hasValueSatisfying(line ->
            assertThat(line).startsWith("Windows is not supported").contains("WSL 2").isASCII());
    assertThat(Platform.refusal("Linux")).isEmpty();
    assertThat(Platform.refusal("Mac OS X")).isEmpty();
    assertThat(Platform.refusal("Darwin")).isEmpty();
  }
}
