package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BoundedTest {

  @Test
  void whatDoesNotFitIsCutAndMarkedWithinTheLimit() {
    assertThat(Bounded.text("a".repeat(64), 64)).isEqualTo("a".repeat(64));
    assertThat(Bounded.text("a".repeat(1000), 100))
        .isEqualTo("a".repeat(52) + "\n[cut: 948 bytes left out]");
    assertThat(Bounded.line("t".repeat(2000), 1024))
        .doesNotContain("\n")
        .containsPattern(" \\[cut: [0-9]+ [a-z ]+]$");
  }

  @Test
  void noCodePointIsSplit() {
    String face = "\ud83d\ude00";
    for (int shift = 0; shift < 4; shift++) {
      String cut = Bounded.text("a".repeat(shift) + face.repeat(100), 100);
      assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(100);
      assertThat(cut).startsWith("a".repeat(shift) + face.repeat(10)).doesNotContain("\ufffd", "?");
      assertThat(new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
          .isEqualTo(cut);
    }
  }
}
