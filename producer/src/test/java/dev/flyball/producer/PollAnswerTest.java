package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.producer.publish.NotPolled;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What an operator is answered who commanded a poll. */
final class PollAnswerTest {
  private static final Instant BEFORE = Instant.parse("2026-11-22T10:00:00Z");
  private static final Command.Poll COMMAND = new Command.Poll("c1", "ada", BEFORE, "new items");

  @Test
  void aPollIsAnsweredWithItsFigures() {
    PollAnswer answer = of(finished(false));

    assertThat(answer.type()).isEqualTo(EventType.COMMAND_DONE);
    assertThat(EventType.COMMAND_DONE.required()).allMatch(answer.data()::has);
    assertThat(texts(answer.data()))
        .containsAllEntriesOf(
            Map.of(
                Field.COMMAND_ID, "c1",
                Field.WHO, "ada",
                Field.BEFORE, "2026-11-22T10:00:00Z",
                Field.AFTER, "polled",
                Field.POLL, "p1",
                Field.POLLED, "7",
                Field.DUPLICATES, "2"));
  }

  @Test
  void aLongListThatGoesOnIsAnsweredAfterItsFirstPart() {
    assertThat(of(finished(true)).data().text(Field.AFTER)).contains("polled in part");
  }

  @Test
  void aPollThatFailsOrIsHeldBackIsRejectedWithItsReason() {
    for (PollReport report :
        List.of(
            new PollReport.Failed("a/b", "denied"),
            new PollReport.Skipped("a/b", NotPolled.lasting("denied")))) {
      PollAnswer answer = of(report);

      assertThat(answer.type()).isEqualTo(EventType.COMMAND_REFUSED);
      assertThat(EventType.COMMAND_REFUSED.required()).allMatch(answer.data()::has);
      assertThat(answer.data().text(Field.REASON)).contains("denied");
    }
  }

  @Test
  void theProducerThatHoldsTheLeaseAnswersAlone() {
    var elsewhere = new PollReport.Skipped("a/b", new NotPolled("polled by p2", true, true));

    assertThat(PollAnswer.of(COMMAND, Optional.of(BEFORE), elsewhere)).isEmpty();
  }

  @Test
  void aSourceThatWasNeverPolledSaysSo() {
    assertThat(PollAnswer.refused(COMMAND, Optional.empty(), "open").data().text(Field.BEFORE))
        .contains("never");
  }

  private static PollAnswer of(PollReport report) {
    return PollAnswer.of(COMMAND, Optional.of(BEFORE), report).orElseThrow();
  }

  private static PollReport finished(boolean more) {
    return new PollReport.Finished("a/b", "p1", 9, 7, 2, List.of(), Map.of(), List.of(), more);
  }

  private static Map<Field, String> texts(EventData data) {
    var all = new java.util.EnumMap<Field, String>(Field.class);
    for (Field field : Field.values()) {
      data.text(field).ifPresent(text -> all.put(field, text));
    }
    return all;
  }
}
