package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long lists, read in parts. Each test has a tenant; the interval is longer than any test. */
@Tag("long")
@DisplayName("A list that is too long for one poll is read by several, each on its own")
class LongListIT extends PollFixture {
  private final Parts list = new Parts();

  /** There is no pause: only the cursor says that the list goes on. */
  @Test
  void aRestartBetweenPartsContinuesWithoutTheInterval() {
    onePart("one");
    assertThat(published()).hasSize(Parts.SIZE);
    list.left.set(Integer.MAX_VALUE);

    start("one", true);

    KafkaFixture.await().until(() -> published().size() >= Parts.SIZE * Parts.COUNT);
    assertThat(published()).doesNotHaveDuplicates();
  }

  /** Each part is read by a producer that knows only what is in Kafka. */
  @Test
  void aCrashBetweenTwoPartsMissesNoneAndDoublesNone() {
    onePart("1");
    list.first = "edited";
    onePart("2");
    assertThat(published()).hasSize(2 * Parts.SIZE);
    list.left.set(Integer.MAX_VALUE);

    assertThat(finished("3").changed()).isEqualTo(Parts.SIZE);
    assertThat(published()).hasSize(Parts.SIZE * Parts.COUNT).doesNotHaveDuplicates();
    assertThat(finished("1").published())
        .as("what was edited meanwhile, and nothing else")
        .extracting(each -> each.key().id())
        .containsExactly("0");
  }

  /** One part, by a producer whose tracker is not there any more when the list goes on. */
  private void onePart(String data) {
    list.left.set(1);
    ProducerApp app = start(data, false);
    assertThat(app.pollNow(key))
        .isEqualTo(
            new PollReport.Failed(
                key, "no route; wait; the 2 changes read before it are published"));
    app.stop();
  }

  private PollReport.Finished finished(String data) {
    ProducerApp app = start(data, false);
    PollReport.Finished report = poll(app);
    app.stop();
    return report;
  }

  private ProducerApp start(String data, boolean byItself) {
    return start(
        config(data, tracked(Duration.ofDays(1), "long")), byItself, (source, clock) -> list);
  }

  private List<String> published() {
    return records(KAFKA.topics().workItems())
        .map(
            record -> record.key() + " " + EventHeaders.text(record.headers(), EventHeaders.DIGEST))
        .toList();
  }

  /** A list of three parts; its cursor is the number of parts that were read. */
  private final class Parts implements Source {
    static final int COUNT = 3;
    static final int SIZE = 2;

    private volatile String first = "item";

    /** How many polls are still answered. */
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      if (left.getAndDecrement() <= 0) {
        throw new SourceFailure(Category.UNREACHABLE, "no route; wait");
      }
      int part = cursor == null ? 0 : Integer.parseInt(cursor);
      boolean again = part == COUNT;
      List<RawItem> items =
          IntStream.range(again ? 0 : part * SIZE, again ? COUNT * SIZE : (part + 1) * SIZE)
              .mapToObj(id ->
                  DeltaTracker.item(
                      tenant, "web", id == 0 ? first : "item", "" + id, "Active", Instant.EPOCH))
              .toList();
      int next = Math.min(part + 1, COUNT);
      return new PollResult(
          items, List.of(), Map.of(), "" + next, 1, Duration.ZERO, next < COUNT, null);
    }

    @Override
    public Optional<Instant> horizon(String cursor) {
      return Optional.of(Instant.EPOCH);
    }

    @Override
    public boolean goesOn(String cursor) {
      return Integer.parseInt(cursor) < COUNT;
    }
  }
}
