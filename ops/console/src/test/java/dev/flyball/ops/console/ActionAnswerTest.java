package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.ops.console.ActionAnswer.Effect;
import dev.flyball.ops.console.ActionAnswer.Result;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandResult.Written;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An answer says what is written, what perhaps, and what not")
final class ActionAnswerTest {
  @Test
  void ofOneItem() {
    ActionAnswer perhaps = ActionAnswer.of("retry", List.of(result("a/b/1", Written.PERHAPS)));
    assertThat(perhaps.status()).isEqualTo(202);
    assertThat(perhaps.result()).isEqualTo(Result.UNCONFIRMED);
    assertThat(perhaps.notice())
        .isEqualTo(
            "a/b/1: the command was perhaps written (no answer); check it before you repeat it");

    ActionAnswer not = ActionAnswer.of("retry", List.of(result("a/b/1", Written.NO)));
    assertThat(not.status()).isEqualTo(503);
    assertThat(not.notice()).isEqualTo("a/b/1: the command was not written (no answer)");
  }

  @Test
  void ofSeveralItems() {
    ActionAnswer some =
        ActionAnswer.of(
            "skip",
            List.of(
                result("a/b/1", Written.YES),
                result("a/b/2", Written.PERHAPS),
                result("a/b/3", Written.NO)));

    assertThat(some.status()).isEqualTo(202);
    assertThat(some.result()).isEqualTo(Result.PARTIAL);
    assertThat(some.notice()).isEqualTo("skip: 0 done, 1 sent, 1 perhaps written, 1 not written");
    assertThat(some.effects())
        .extracting(Effect::item, Effect::result, Effect::reason)
        .containsExactly(
            tuple("a/b/1", Result.SENT, ""),
            tuple("a/b/2", Result.UNCONFIRMED, "no answer"),
            tuple("a/b/3", Result.UNWRITTEN, "no answer"));
  }

  @Test
  void ofAChangeThatTheLedgerDidNotAcknowledge() {
    assertThat(ActionAnswer.unconfirmed("no answer").status()).isEqualTo(202);
    assertThat(ActionAnswer.unconfirmed("no answer").notice()).startsWith("perhaps written: ");
  }

  private static CommandResult result(String item, Written written) {
    return new CommandResult(
        item, item, written, written == Written.YES ? "" : "no answer", null, null);
  }
}
