package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.MachineSettings.RetryLimits;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("S0-42, T8: retries are bounded, apart from each other, and each is a new request")
final class RetriesTest {
  private final ItemStory story = new ItemStory();

  @Test
  void failuresComeAtGrowingDistancesAndEndDead() {
    story.queued("a").session(Outcome.FAILED, "exit 1");
    assertThat(distance()).isBetween(Duration.ofMillis(22_500), Duration.ofMillis(37_500));
    story.due().session(Outcome.TIMED_OUT, "wall clock");
    assertThat(distance()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(150));
    story.due().session(Outcome.FAILED, "exit 2");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
    assertThat(story.count(ITEM_DEAD_LETTERED)).isEqualTo(1);
    assertThat(story.all().stream().filter(TriageEffect.GiveUp.class::isInstance)).hasSize(1);
    assertThat(story.standing()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"PERMANENT, dead", "POISON, dead", "TRANSIENT, failed", "PROVIDER, failed"})
  void onlyWhatMayPassIsTriedAgain(Failure.Kind kind, String phase) {
    story.queued("a").failed(kind, "its reason");

    assertThat(story.phase().word()).isEqualTo(phase);
    if (phase.equals("dead")) {
      assertThat(story.phase()).isEqualTo(new ItemPhase.Dead(kind.label() + ": its reason"));
    }
  }

  // The reason is for people: a runner may say anything there.
  @Test
  void aReasonDecidesNothing() {
    story.queued("a").session(Outcome.FAILED, "permanent: session budget of 0.5 USD is spent");

    assertThat(story.phase()).isInstanceOf(ItemPhase.Failed.class);
  }

  @Test
  void lostSessionsHaveALimitOfTheirOwn() {
    story.queued("a");
    for (int lost = 1; lost <= 4; lost++) {
      story.session(Outcome.LOST, "lease expired").dueIfDeferred();
    }
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    story.session(Outcome.FAILED, "exit 1").due().session(Outcome.LOST, "lease expired");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
  }

  @Test
  void interruptionsUseUpNothingButComeAtGrowingDistances() {
    story.queued("a").session(Outcome.INTERRUPTED, "runner shuts down");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    Duration before = Duration.ZERO;
    for (int again = 0; again < 10; again++) {
      story.session(Outcome.INTERRUPTED, "runner shuts down");
      assertThat(distance()).isGreaterThan(before);
      before = distance();
      story.due();
    }
    for (int again = 0; again < 40; again++) {
      story.session(Outcome.INTERRUPTED, "provider limit; 429");
      assertThat(distance()).isEqualTo(RetryLimits.CEILING);
      story.due();
    }
    story.session(Outcome.FAILED, "exit 1").due().session(Outcome.FAILED, "exit 1").due();
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"INTERRUPTED", "FAILED", "TIMED_OUT"})
  @DisplayName(
      "a fault of a runner uses up nothing, and the item is requested again in that moment")
  void aFaultOfARunnerIsNotTheItems(Outcome outcome) {
    story.queued("a");
    for (int again = 1; again <= 50; again++) {
      story.released(story.claimed(), outcome, ofRunner(0));
      assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
      assertThat(story.request().attempt()).isEqualTo(again + 1);
    }
    story.session(Outcome.INTERRUPTED, "runner shuts down");
    assertThat(story.phase()).as("the first of its own kind").isInstanceOf(ItemPhase.Queued.class);
    story.session(Outcome.FAILED, "exit 1").due().session(Outcome.FAILED, "exit 1").due();
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    story.session(Outcome.FAILED, "exit 1");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
  }

  @Test
  @DisplayName("a fault of a runner that cost money comes at growing distances")
  void aCostlyFaultOfARunnerComesAtGrowingDistances() {
    story.queued("a").released(story.claimed(), Outcome.INTERRUPTED, ofRunner(70));
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    Duration before = Duration.ZERO;
    for (int again = 0; again < 9; again++) {
      story.released(story.claimed(), Outcome.INTERRUPTED, ofRunner(70));
      assertThat(distance()).isGreaterThan(before);
      before = distance();
      story.due();
    }
  }

  private static EventData ofRunner(long tokens) {
    return EventData.EMPTY
        .with(Field.FAILURE, new Failure(Failure.Kind.RUNNER, Failure.REPOSITORY))
        .with(Field.REASON, "the mount is gone")
        .with(Field.TOKENS, tokens)
        .with(Field.RECEIPT, Receipt.notStarted());
  }

  @Test
  void aDueTimeThatComesTooEarlyDoesNothing() {
    story.queued("a").session(Outcome.FAILED, "exit 1");
    story.step(new Input.DueReached(InputPosition.due(story.now())));
    assertThat(story.last()).isEmpty();
  }

  @Test
  void aRetryAndAnInterruptionKeepTheAgeOfTheFirstRequest() {
    story.queued("a");
    Instant first = story.now();
    assertThat(story.request().since()).isEqualTo(first);

    story.after(Duration.ofHours(2)).session(Outcome.FAILED, "exit 1").due();
    assertThat(story.request().since()).as("after a retry").isEqualTo(first);
    story.after(Duration.ofHours(2)).session(Outcome.INTERRUPTED, "runner shuts down");
    assertThat(story.request().since()).as("after an interruption").isEqualTo(first);
    story.after(Duration.ofHours(2)).session(Outcome.LOST, "lease expired");
    assertThat(story.request().since()).as("after a loss").isEqualTo(first);
    story.session(Outcome.FAILED, "exit 1").command("retry");
    assertThat(story.request().since()).as("hurried by an operator").isEqualTo(first);
  }

  @Test
  void otherContentAndAnOperatorsRetryOfASettledItemBeginToWaitAgain() {
    story.queued("a").after(Duration.ofHours(2)).seen(ItemStory.snapshot("b")).verdict(true);
    assertThat(story.request().since()).as("other content").isEqualTo(story.now());

    story.session(Outcome.COMPLETED, "done").after(Duration.ofHours(2)).command("retry");
    assertThat(story.request().since()).as("a settled item").isEqualTo(story.now());
  }

  @Test
  void howLongARetryWaitedIsMeasuredFromItsOwnRequest() {
    story.queued("a").after(Duration.ofHours(2)).session(Outcome.INTERRUPTED, "shutdown");
    story.after(Duration.ofSeconds(5));
    story.expired(story.claimed());

    assertThat(story.event(EventType.SESSION_LOST).data().number(Field.WAITING_MS)).hasValue(5_000);
  }

  private Duration distance() {
    Instant due = story.phase().dueAt().orElseThrow();
    return Duration.between(story.now(), due);
  }
}
