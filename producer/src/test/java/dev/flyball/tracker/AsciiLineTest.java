package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text of a tracker or a program in one of our lines. */
class AsciiLineTest {
  @Test
  void manyLinesBecomeOneInAscii() {
    assertThat(AsciiLine.of("  Zugriff\r\n\tverweigert \u001b[31m f\u00fcr \u540d\u524d "))
        .isEqualTo("Zugriff verweigert [31m fur ?");
  }

  @Test
  void whatIsTooLongEndsInDots() {
    assertThat(AsciiLine.of("x".repeat(10_000), 20)).isEqualTo("x".repeat(17) + "...");
    assertThat(AsciiLine.of("x".repeat(20), 20)).isEqualTo("x".repeat(20));
  }

  @Test
  void aPartOfALineEndsWithoutItsStop() {
    assertThat(AsciiLine.part("Please run az login.\n")).isEqualTo("Please run az login");
    assertThat(AsciiLine.part("Waiting...")).isEqualTo("Waiting...");
    assertThat(AsciiLine.part("x".repeat(1_000))).hasSize(300).endsWith("...");
  }
}
