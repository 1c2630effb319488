package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.lease.PollWitness;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-33: how a poll ended is known until a record holds it")
class KnownRecordTest {
  private static final Instant TEN = Instant.parse("2026-11-22T10:00:00Z");
  private static final Instant ELEVEN = TEN.plus(Duration.ofHours(1));
  private static final Trouble OURS = trouble("one hour");
  private static final Trouble THEIRS = trouble("five minutes");

  @TempDir Path folder;
  private OwnerFile owner;
  private KnownRecord known;

  @BeforeEach
  void open() {
    owner = new OwnerFile(folder.resolve("owner"));
    known = new KnownRecord("acme/web", owner);
  }

  @Test
  void beforeAPollTheRecordSaysAll() {
    assertThat(known.polledAt()).isEmpty();
    known.read(theirs(TEN, THEIRS));

    assertThat(known.trouble()).isEqualTo(THEIRS);
    assertThat(known.polledAt()).contains(TEN);
    assertThat(known.begin(ELEVEN)).as("first polled by another").isEqualTo(TEN);
  }

  @Test
  void aFailedWriteLeavesWhatAPollLearntWhateverTheOldRecordSays() {
    take();
    PollState old = known.state();
    known.ended(ELEVEN, OURS);

    known.read(old);
    assertThat(known.trouble()).isEqualTo(OURS);
    assertThat(known.polledAt()).contains(ELEVEN);
    known.ended(ELEVEN, null);
    known.read(old);
    assertThat(known.trouble()).as("the end of trouble is news, too").isNull();
  }

  @Test
  void whatIsWrittenIsNewsNoMore() {
    take();
    known.ended(TEN, OURS);
    PollState next = known.next(held(), "c2");
    assertThat(next.polledAt()).isEqualTo(TEN);
    assertThat(next.trouble()).isEqualTo(OURS);
    known.written(next);

    assertThat(known.polledAt()).contains(TEN);
    known.read(null);
    assertThat(known.trouble()).isNull();
  }

  @Test
  void anotherThatPolledSinceKnowsBetter() {
    take();
    known.ended(TEN, OURS);
    known.read(theirs(ELEVEN, THEIRS));

    assertThat(known.trouble()).isEqualTo(THEIRS);
    assertThat(known.polledAt()).contains(ELEVEN);
    known.read(theirs(ELEVEN, null));
    assertThat(known.trouble()).isNull();
  }

  @Test
  void aWrittenPollDoesNotHideASuccessorsOfAClockThatWasSetBack() {
    take();
    known.ended(ELEVEN, null);
    known.written(known.next(held(), "c2"));
    known.read(theirs(TEN, null));

    assertThat(known.polledAt()).contains(TEN);
  }

  @Test
  @DisplayName("A restart of a failing source keeps the time of its last successful poll")
  void theLastSuccessStaysInEveryRecordOfFailures() {
    take();
    known.ended(TEN, null);
    known.ended(ELEVEN, OURS);
    PollState failing = known.next(held(), "c2");
    known.written(failing);

    var restarted = new KnownRecord("acme/web", owner);
    restarted.read(failing);
    assertThat(restarted.succeededAt()).contains(TEN);
    restarted.ended(ELEVEN.plusSeconds(1), OURS);
    assertThat(restarted.next(failing, "c2").succeededAt()).isEqualTo(TEN);
    restarted.ended(ELEVEN.plusSeconds(2), null);
    assertThat(restarted.succeededAt()).contains(ELEVEN.plusSeconds(2));
    restarted.ended(ELEVEN.plusSeconds(3), new Trouble("rate limited", "rest", 0, 0, ELEVEN));
    assertThat(restarted.succeededAt())
        .as("it answered, and asked for a pause")
        .contains(ELEVEN.plusSeconds(3));
  }

  @Test
  void theFirstPollStaysInEveryRecord() {
    take();
    assertThat(known.begin(TEN)).isEqualTo(TEN);
    assertThat(known.begin(ELEVEN)).as("its next poll").isEqualTo(TEN);
    PollState next = known.next(held(), "c2");
    known.written(next);
    assertThat(known.givenBack(next).firstPoll()).isEqualTo(TEN);
  }

  @Test
  void anotherProcessWithOurNameGivesUsANewOne() {
    take();
    String name = owner.current();
    known.read(new PollState(name, 9, 0, "c", TEN, null, TEN, null));

    assertThat(owner.current()).isNotEqualTo(name);
    assertThat(known.isOurs()).isFalse();
  }

  private void take() {
    known.takingOver();
    known.written(known.takenOver());
  }

  private PollState held() {
    return Objects.requireNonNull(known.state());
  }

  private static PollState theirs(@Nullable Instant polledAt, @Nullable Trouble trouble) {
    return new PollState(PollWitness.NO_OWNER, 7, 1, "c1", polledAt, trouble, TEN, null);
  }

  private static Trouble trouble(String reason) {
    return new Trouble("rate limited", reason, 0, 1, ELEVEN);
  }
}
