package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.operate.OperatorActions.By;
import org.junit.jupiter.api.Test;

final class OperatorActionsTest {
  @Test
  void whoAndWhyAreOneLine() {
    assertThat(new By("ann\r\n", "release\n paused by \u001b[2Jbob"))
        .isEqualTo(new By("ann", "release paused by [2Jbob"));
  }
}
