package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.ops.console.operate.Outcome.Answer;
import dev.flyball.ops.console.operate.Outcome.Effect;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An answer says what is written, what perhaps, and what not")
final class OutcomeTest {
  @Test
  void ofOneItem() {
    Answer perhaps = Answer.of("retry", List.of(outcome("a/b/1", Effect.UNCONFIRMED)));
    assertThat(perhaps.result().status()).isEqualTo(202);
    assertThat(perhaps.result()).isEqualTo(Effect.UNCONFIRMED);
    assertThat(perhaps.notice())
        .isEqualTo(
            "a/b/1: the command was perhaps written (no answer); check it before you repeat it");

    Answer not = Answer.of("retry", List.of(outcome("a/b/1", Effect.UNWRITTEN)));
    assertThat(not.result().status()).isEqualTo(503);
    assertThat(not.notice()).isEqualTo("a/b/1: the command was not written (no answer)");
  }

  @Test
  void ofSeveralItems() {
    Answer some =
        Answer.of(
            "skip",
            List.of(
                outcome("a/b/1", Effect.SENT),
                outcome("a/b/2", Effect.UNCONFIRMED),
                outcome("a/b/3", Effect.UNWRITTEN)));

    assertThat(some.result().status()).isEqualTo(202);
    assertThat(some.result()).isEqualTo(Effect.PARTIAL);
    assertThat(some.notice()).isEqualTo("skip: 0 done, 1 sent, 1 perhaps written, 1 not written");
    assertThat(some.effects())
        .extracting(Outcome::what, Outcome::effect, Outcome::why)
        .containsExactly(
            tuple("a/b/1", Effect.SENT, ""),
            tuple("a/b/2", Effect.UNCONFIRMED, "no answer"),
            tuple("a/b/3", Effect.UNWRITTEN, "no answer"));
  }

  private static Outcome outcome(String item, Effect effect) {
    return Outcome.of(item, effect, effect == Effect.SENT ? "" : "no answer");
  }
}
