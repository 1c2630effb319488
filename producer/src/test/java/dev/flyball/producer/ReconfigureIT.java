package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.poll.PollState;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A producer whose configuration changes while it runs; each test has a tenant. */
@Tag("long")
@DisplayName("S0-51: another configuration while polls run")
class ReconfigureIT extends PollFixture {
  private final Map<String, Watched> trackers = new ConcurrentHashMap<>();

  @AfterEach
  void answer() {
    trackers.values().forEach(tracker -> tracker.mayAnswer.release(1_000_000));
  }

  @Test
  void aRunningPollEndsByTheRulesItBeganWithAndTheNextGoesByTheNewOnes() {
    ProducerApp running = start(source("web", Set.of()));
    Watched tracker = tracker("web");
    KafkaFixture.await().until(() -> tracker.asked.get() == 1);

    SourceChanges changes = running.reconfigure(config("data", source("web", Set.of("parked"))));
    assertThat(changes.changed()).hasSize(1);
    tracker.mayAnswer.release();

    assertThat(firstSnapshot().closed()).as("by the rules it began with").isFalse();
    tracker.title = "edited";
    tracker.mayAnswer.release(1_000_000);
    KafkaFixture.await().until(() -> newestSnapshot().title().equals("edited"));
    assertThat(newestSnapshot().closed()).as("by the new rules").isTrue();
    assertThat(tracker.mostAtOnce.get()).as("polls of one source never overlap").isEqualTo(1);
    assertThat(state("web").epoch()).as("nobody had to take the lease again").isEqualTo(1);
  }

  @Test
  void aSourceThatStaysNoticesNothing() {
    ProducerApp running = start(source("web", Set.of()), source("b", Set.of()));
    tracker("web").mayAnswer.release(1_000_000);
    tracker("b").mayAnswer.release(1_000_000);
    KafkaFixture.await().until(() -> tracker("web").answered.get() > 0);

    running.reconfigure(config("data", source("b", Set.of("parked")), source("web", Set.of())));
    int before = tracker("web").answered.get();
    KafkaFixture.await().until(() -> tracker("web").answered.get() > before);

    KafkaFixture.await().until(() -> tracker("b").opened.get() == 2);
    assertThat(tracker("web").opened.get()).isEqualTo(1);
  }

  @Test
  void aRemovedSourceGivesItsLeaseBackAfterItsLastPollAndAnAddedOneIsPolled() {
    ProducerApp running = start(source("web", Set.of()));
    Watched gone = tracker("web");
    KafkaFixture.await().until(() -> gone.asked.get() == 1);

    SourceChanges changes = running.reconfigure(config("data", source("b", Set.of())));
    assertThat(changes.text()).isEqualTo("added " + tenant + "/b, removed " + key);
    tracker("b").mayAnswer.release(1_000_000);
    KafkaFixture.await().until(() -> tracker("b").answered.get() > 0);
    assertThat(state("web").owner()).as("its poll runs").isNotEqualTo("-");

    gone.mayAnswer.release();
    KafkaFixture.await().until(() -> state("web").owner().equals("-"));
    assertThat(gone.asked.get()).isEqualTo(1);
    assertThat(running.health().reasons()).isEmpty();
  }

  @Test
  void aSourceThatComesBackWaitsForItsOwnLastPoll() {
    ProducerApp running = start(source("web", Set.of()));
    Watched tracker = tracker("web");
    KafkaFixture.await().until(() -> tracker.asked.get() == 1);

    running.reconfigure(config("data"));
    running.reconfigure(config("data", source("web", Set.of()), source("b", Set.of())));
    tracker("b").mayAnswer.release(1_000_000);
    KafkaFixture.await().until(() -> tracker("b").answered.get() > 2);
    assertThat(tracker.asked.get()).as("its last poll has not ended").isEqualTo(1);
    tracker.mayAnswer.release(1_000_000);

    KafkaFixture.await().until(() -> tracker.opened.get() == 2 && tracker.answered.get() > 2);
    assertThat(tracker.mostAtOnce.get()).isEqualTo(1);
  }

  @Test
  @DisplayName("S0-33: a rate limit that a poll ran into while it was replaced counts for the next")
  void whatTheLastPollOfTheOldRulesWasToldCountsForTheNewOnes() {
    ProducerApp running = start(tracked(Duration.ofSeconds(1), "old"));
    Watched tracker = tracker("web");
    KafkaFixture.await().until(() -> tracker.asked.get() == 1);

    running.reconfigure(config("data", tracked(Duration.ofSeconds(1), "new")));
    tracker.failure =
        new TrackerFailure(Category.RATE_LIMITED, "asked too often; wait", Duration.ofHours(1));
    tracker.mayAnswer.release(1_000_000);

    KafkaFixture.await()
        .until(
            () -> running.health().reasons().stream().anyMatch(it -> it.matches(".* (1h|59m) .*")));
    assertThat(tracker.asked).hasValue(1);
  }

  @Test
  void aConfigurationThatCannotBeOpenedChangesNothingAndMayBeAppliedAgain() {
    ProducerApp running = start(source("web", Set.of()));
    tracker("web").mayAnswer.release(1_000_000);
    tracker("b").refused = true;
    ProducerConfig next = config("data", source("web", Set.of("parked")), source("b", Set.of()));

    assertThatThrownBy(() -> running.reconfigure(next)).hasMessage("refused");

    int before = tracker("web").answered.get();
    KafkaFixture.await().until(() -> tracker("web").answered.get() > before + 1);
    tracker("b").refused = false;
    assertThat(running.reconfigure(next).text())
        .isEqualTo("added " + tenant + "/b, changed " + key);
  }

  private ProducerApp start(SourceConfig... sources) {
    return start(
        config("data", sources),
        true,
        (source, clock) -> {
          Watched tracker = tracker(source.name());
          if (tracker.refused) {
            throw new IllegalArgumentException("refused");
          }
          tracker.opened.incrementAndGet();
          return tracker;
        });
  }

  private Watched tracker(String name) {
    return trackers.computeIfAbsent(name, each -> new Watched(new ItemKey(tenant, each, "1")));
  }

  private SourceConfig source(String name, Set<String> closed) {
    return new SourceConfig.Jsonl(
        new SourceConfig.Identity(tenant, name, Duration.ofSeconds(1)),
        TestSources.rules(List.of(), closed, false),
        Path.of(name));
  }

  private PollState state(String name) {
    return KAFKA
        .newest(KAFKA.topics().pollState(), tenant + "/" + name, PollState.class)
        .orElseThrow();
  }

  private Snapshot firstSnapshot() {
    return KafkaFixture.await().until(() -> snapshots("1"), all -> !all.isEmpty()).getFirst();
  }

  private Snapshot newestSnapshot() {
    return snapshots("1").getLast();
  }

  /** A tracker with one parked item that answers when the test permits it, and counts requests. */
  private static final class Watched implements Source {
    private final ItemKey key;
    private final Semaphore mayAnswer = new Semaphore(0);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger asking = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile String title = "unchanged";
    private volatile @Nullable TrackerFailure failure;
    private volatile boolean refused;

    Watched(ItemKey key) {
      this.key = key;
    }

    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      asked.incrementAndGet();
      mostAtOnce.accumulateAndGet(asking.incrementAndGet(), Math::max);
      mayAnswer.acquireUninterruptibly();
      asking.decrementAndGet();
      TrackerFailure now = failure;
      if (now != null) {
        throw new SourceFailure(now, null);
      }
      var item =
          RawItem.of(key, title)
              .description("text", Markup.HTML)
              .type("Bug")
              .state("Parked")
              .build();
      String at = "c" + answered.incrementAndGet();
      return new PollResult(List.of(item), List.of(), at, 1);
    }
  }
}
