package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-33: how a poll ended is known until a record holds it")
class UnwrittenPollTest {
  private static final Instant TEN = Instant.parse("2026-11-22T10:00:00Z");
  private static final Instant ELEVEN = TEN.plus(Duration.ofHours(1));
  private static final Trouble OURS = trouble("one hour");
  private static final Trouble THEIRS = trouble("five minutes");

  @Test
  void withoutAPollTheRecordSaysAll() {
    PollState record = record(TEN, THEIRS);
    UnwrittenPoll unwritten = UnwrittenPoll.NONE.read(record);

    assertThat(unwritten.trouble()).isEqualTo(THEIRS);
    assertThat(unwritten.lastPoll(record)).isEqualTo(TEN);
    assertThat(UnwrittenPoll.NONE.lastPoll(null)).isNull();
  }

  @Test
  @DisplayName("a failed write leaves what a poll learnt, whatever the old record says")
  void whatIsNotWrittenStaysNews() {
    PollState old = record(TEN, THEIRS);
    UnwrittenPoll unwritten = UnwrittenPoll.NONE.read(old).ended(ELEVEN, OURS);

    assertThat(unwritten.read(old)).isEqualTo(unwritten);
    assertThat(unwritten.read(null)).isEqualTo(unwritten);
    assertThat(unwritten.lastPoll(old)).isEqualTo(ELEVEN);
  }

  @Test
  void theEndOfTroubleIsNewsToo() {
    UnwrittenPoll unwritten = UnwrittenPoll.NONE.read(record(TEN, THEIRS)).ended(ELEVEN, null);

    assertThat(unwritten.read(record(TEN, THEIRS)).trouble()).isNull();
  }

  @Test
  void whatIsWrittenIsNewsNoMore() {
    UnwrittenPoll written = UnwrittenPoll.NONE.ended(TEN, OURS).written();

    assertThat(written.trouble()).isEqualTo(OURS);
    assertThat(written.polledAt()).isNull();
    assertThat(written.read(record(TEN, THEIRS)).trouble()).isEqualTo(THEIRS);
    assertThat(written.read(null).trouble()).isNull();
  }

  @Test
  @DisplayName("another that polled meanwhile knows better what the tracker wants")
  void anothersRecordWins() {
    UnwrittenPoll unwritten = UnwrittenPoll.NONE.ended(TEN, OURS);
    PollState theirs = record(ELEVEN, THEIRS);

    assertThat(unwritten.readOfAnother(theirs))
        .isEqualTo(new UnwrittenPoll(null, THEIRS, false, null));
    assertThat(unwritten.readOfAnother(theirs).lastPoll(theirs)).isEqualTo(ELEVEN);
    assertThat(unwritten.readOfAnother(record(ELEVEN, null)).trouble()).isNull();
  }

  @Test
  @DisplayName("another that did not poll since takes nothing from when we did")
  void ourLaterPollIsStillTheLast() {
    UnwrittenPoll unwritten = UnwrittenPoll.NONE.ended(ELEVEN, OURS);

    assertThat(unwritten.readOfAnother(record(TEN, THEIRS)).lastPoll(record(TEN, THEIRS)))
        .isEqualTo(ELEVEN);
    assertThat(unwritten.readOfAnother(record(null, THEIRS)).polledAt()).isEqualTo(ELEVEN);
  }

  private static PollState record(@Nullable Instant polledAt, @Nullable Trouble trouble) {
    return new PollState("one", 1, 1, "c1", polledAt, trouble, null);
  }

  private static Trouble trouble(String reason) {
    return new Trouble("rate limited", reason, 0, 1, ELEVEN);
  }
}
