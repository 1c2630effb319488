package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.KnownStore.LocalCopy;
import dev.flyball.tracker.JsonlSource;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of trackers without a broker: a dry run, and the check of {@code doctor}. */
class DryRunTest {
  @TempDir Path folder;

  @Test
  void withoutHistoryEverythingIsNewAndNothingIsWritten() throws IOException {
    Path file = write("{\"id\":\"1\",\"title\":\"a\"}\n{\"id\":\"1\",\"title\":\"b\"}\nbroken\n");

    var read = (DryRun.Read) ProducerApp.dryRun(config(file)).getFirst();

    assertThat(read.items())
        .extracting(DryRun.Item::key, DryRun.Item::taken, DryRun.Item::reason)
        .containsExactly(tuple("default/items/1", true, "new"));
    assertThat(read.invalid()).hasSize(1);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void theHistorySaysWhatAPollWouldHoldBack() throws IOException {
    Path file = write("{\"id\":\"1\",\"title\":\"a\"}\n{\"id\":\"2\",\"title\":\"b\"}\n");
    ProducerConfig config = config(file);
    var read =
        new JsonlSource(file, "default", "items", InstantSource.system())
            .poll(null, RequestPermission.GRANTED);
    String version =
        new Snapshots(config.textLimit(), config.fingerprintFields(), SourceRules.DEFAULT)
            .version();
    try (var store = KnownStore.open(config.data().resolve("producer.db"))) {
      var copy = new LocalCopy(ChangePlan.learn(read.items(), version), Set.of());
      store.put("default/items", "c", copy, true);
    }
    write("{\"id\":\"1\",\"title\":\"a\"}\n{\"id\":\"2\",\"title\":\"edited\"}\n");

    assertThat(((DryRun.Read) ProducerApp.dryRun(config).getFirst()).items())
        .extracting(DryRun.Item::key, DryRun.Item::publish, DryRun.Item::reason)
        .containsExactly(
            tuple("default/items/1", false, "unchanged"),
            tuple("default/items/2", true, "changed"));
  }

  @Test
  void aTrackerIsAskedFromWhereThePollsAre() {
    ProducerConfig config = config(folder.resolve("items.jsonl"));
    try (var store = KnownStore.open(config.data().resolve("producer.db"))) {
      var cursor = new PollCursor("since-noon", "poll-1", "1:title");
      store.put("default/items", cursor.toString(), LocalCopy.NOTHING, true);
    }
    var asked = new ArrayList<@Nullable String>();
    Source tracker =
        (cursor, permission) -> {
          asked.add(cursor);
          return new PollResult(List.of(), List.of(), "since-noon", 1);
        };

    DryRun.of(config, InstantSource.system(), (source, clock) -> tracker);

    assertThat(asked).containsExactly("since-noon");
  }

  @Test
  void aLongListIsReadToItsEnd() {
    assertThat(read(Duration.ZERO, "a", "b", "c"))
        .isInstanceOfSatisfying(
            DryRun.Read.class,
            read -> {
              assertThat(read.items()).extracting(DryRun.Item::key).hasSize(3);
              assertThat(read.changed()).isEqualTo(3);
              assertThat(read.requests()).isEqualTo(3);
            });
  }

  @Test
  void anItemThatItsSourceDoesNotTakeShowsWhy() {
    var labelled = new OptIn(new OptIn.Start.Now(), List.of("agent"), null, null);
    var old = new OptIn(new OptIn.Start.Now(), List.of(), null, null);

    assertThat(reason(labelled)).isEqualTo("needs label agent");
    assertThat(reason(old)).isEqualTo("before start");
    assertThat(reason(OptIn.ALL)).isEqualTo("new");
  }

  private String reason(OptIn optIn) {
    var identity = new SourceConfig.Identity("default", "items", SourceConfig.DEFAULT_INTERVAL);
    var file =
        new SourceConfig.Jsonl(identity, TestSources.rules(optIn), folder.resolve("items.jsonl"));
    var item = DeltaTracker.item("default", "items", "a", "a", "Active", Instant.EPOCH);
    Source tracker = (cursor, permission) -> new PollResult(List.of(item), List.of(), "c", 1);
    List<DryRun> dry =
        DryRun.of(
            ProducerConfig.defaults(folder.resolve("data"), List.of(file)),
            InstantSource.system(),
            (source, clock) -> tracker);
    return ((DryRun.Read) dry.getFirst()).items().getFirst().reason();
  }

  @Test
  void aListWhoseTrackerAsksForAPauseIsNotReadOn() {
    assertThat(read(Duration.ofHours(1), "a", "b"))
        .isInstanceOfSatisfying(
            DryRun.Unreadable.class,
            answer -> assertThat(answer.reason()).contains("after 1 entries; polls go on"));
  }

  @Test
  void aListThatLeadsNowhereIsNotReadForEver() {
    assertThat(read(Duration.ZERO, "a", "a", "a"))
        .isInstanceOfSatisfying(
            DryRun.Unreadable.class,
            answer ->
                assertThat(answer.reason())
                    .isEqualTo(GuardedSource.nowhere(answer.source()).failure().reason()));
  }

  /** A dry run of a list whose parts end at these cursors, with one item each. */
  private DryRun read(Duration pause, String... cursors) {
    var parts = new ArrayDeque<>(List.of(cursors));
    Source tracker =
        (cursor, permission) -> {
          String at = parts.remove();
          var item = DeltaTracker.item("default", "items", at, at, "Active", Instant.EPOCH);
          return new PollResult(
              List.of(item), List.of(), Map.of(), at, 1, pause, !parts.isEmpty(), null);
        };
    return DryRun.of(
            config(folder.resolve("items.jsonl")),
            InstantSource.system(),
            (source, clock) -> tracker)
        .getFirst();
  }

  private Path write(String lines) throws IOException {
    return Files.writeString(folder.resolve("items.jsonl"), lines);
  }

  private ProducerConfig config(Path file) {
    return ProducerConfig.defaults(folder.resolve("data"), List.of(SourceConfig.Jsonl.of(file)));
  }

  @Test
  void aTrackerWithManyPagesIsAskedThreeTimes() {
    var requests = new AtomicInteger();
    Source endless =
        (cursor, permission) -> {
          while (true) {
            permission.check();
            requests.incrementAndGet();
          }
        };

    assertThat(DryRun.ask("acme/ado", endless, "c")).isEmpty();
    assertThat(requests).hasValue(DryRun.MOST_REQUESTS);
  }

  @Test
  void whatItAnswersIsTheAnswer() {
    var down = TrackerFailure.of(Category.AUTH, "401");
    Source quiet = (cursor, permission) -> new PollResult(List.of(), List.of(), "c", 1);
    Source failing =
        (cursor, permission) -> {
          throw new SourceFailure(down, null);
        };
    Source broken =
        (cursor, permission) -> {
          throw new IllegalStateException("no such field");
        };

    assertThat(DryRun.ask("acme/ado", quiet, null)).isEmpty();
    assertThat(DryRun.ask("acme/ado", failing, null)).hasValue(down);
    assertThat(DryRun.ask("acme/ado", broken, null))
        .hasValueSatisfying(it -> assertThat(it.category()).isEqualTo(Category.MALFORMED));
  }
}
