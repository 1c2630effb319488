package dev.flyball.writeback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName(
    "Write-back: every analysis of a source reaches its tracker, at least once and once to see")
class WriteBackLoopIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static int tests;

  @TempDir Path folder;

  private final String source = "acme/s" + ++tests;
  private final AtomicInteger unreadable = new AtomicInteger();
  private final Tracker tracker = new Tracker();
  private final List<WriteBackLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private KafkaProducer<String, byte[]> producer;

  /** Why polls of the tracker are paused; read by loops. */
  private volatile Optional<String> leftAlone = Optional.empty();

  @BeforeEach
  void open() {
    KAFKA.provision();
    producer = KAFKA.clients("producer").producer("dead-letters", Map.of());
  }

  @AfterEach
  void close() throws InterruptedException {
    stopAll();
    producer.close();
  }

  private void stopAll() throws InterruptedException {
    loops.forEach(WriteBackLoop::stop);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void whatIsFoundAfterTheFirstStartIsTold() {
    analysed("1", "s-0", 1);
    start();
    awaitJoined();
    analysed("2", "s-1", 2);
    KAFKA.produce(KAFKA.topics().analyses(), "acme/other/9", analysis("s-2", 3));

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    assertThat(tracker.comments).containsOnlyKeys("2");
  }

  @Test
  void aRestartTellsWhatCameMeanwhileAndNothingTwice() {
    start();
    awaitJoined();
    analysed("1", "s-1", 1);
    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    loops.getFirst().stop();
    analysed("2", "s-2", 2);
    start();

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    assertThat(tracker.written("1")).isOne();
  }

  @Test
  void aGroupThatTheBrokerHasForgottenLooksAgainAtAllSinceItsFirstStart() throws Exception {
    analysed("0", "s-0", 1);
    start();
    awaitJoined();
    analysed("1", "s-1", 2);
    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    stopAll();
    forgetGroup();
    analysed("2", "s-2", 3);
    int before = tracker.looks;
    start();

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    KafkaFixture.await().until(() -> tracker.looks == before + 2);
    assertThat(tracker.written("1")).as("it was there").isOne();
    assertThat(tracker.comments).containsOnlyKeys("1", "2");
  }

  @Test
  void aDeliveryWhoseAnswerWasLostIsNotSeenTwice() {
    tracker.loseAnswers(1);
    start();
    awaitJoined();
    analysed("1", "s-1", 1);

    KafkaFixture.await().until(() -> tracker.looks >= 2 && loops.getFirst().trouble().isEmpty());
    assertThat(tracker.written("1")).isOne();
    assertThat(tracker.comments.get("1")).hasSize(1);
  }

  @Test
  void aTrackerThatFailsIsAskedAgainAndNothingIsDropped() {
    tracker.fail(TrackerFailure.Category.UNREACHABLE);
    start();
    awaitJoined();
    analysed("1", "s-1", 1);
    KafkaFixture.await()
        .until(() ->
            loops.getFirst().trouble().filter(it -> it.contains("/1 waits 5s: down")).isPresent());

    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    assertThat(loops.getFirst().trouble()).isEmpty();
  }

  @Test
  @DisplayName("S0-32: write-back pauses while the polls of its tracker pause, and then continues")
  void aTrackerThatThePollsLeaveAloneIsNotAsked() {
    leftAlone = Optional.of("breaker open for another 5m0s: down");
    start();
    awaitJoined();
    analysed("1", "s-1", 1);
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(loops.getFirst().trouble())
                .contains(
                    "write-back of " + source + "/1 waits: breaker open for another 5m0s: down"));
    assertThat(tracker.looks).isZero();

    leftAlone = Optional.empty();
    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    KafkaFixture.await().until(() -> loops.getFirst().trouble().isEmpty());
  }

  @Test
  void whatIsNoAnalysisBecomesADeadLetterAndTheOthersGoOn() {
    start();
    awaitJoined();
    KAFKA.produceRaw(
        KAFKA.topics().analyses(), source + "/1", "{\"revision\":\"1\"}".getBytes(UTF_8));
    var tokenless = analysis("s-1", 1);
    KAFKA.produce(
        KAFKA.topics().analyses(),
        source + "/1",
        new Analysis(
            tokenless.revision(),
            tokenless.fingerprint(),
            null,
            tokenless.text(),
            List.of(),
            0,
            "scout",
            null,
            "s-1",
            "nonsense",
            Instant.EPOCH));
    analysed("1", "s-2", 2);

    KafkaFixture.await().until(() -> tracker.written("1") == 1);
    assertThat(unreadable).hasValue(2);
  }

  @Test
  void anItemThatIsGoneBecomesADeadLetterAndTheOthersGoOn() {
    tracker.fail(TrackerFailure.Category.NOT_FOUND);
    start();
    awaitJoined();
    analysed("1", "s-1", 1);
    analysed("2", "s-2", 2);

    KafkaFixture.await().until(() -> tracker.written("2") == 1);
    assertThat(KAFKA.values(KAFKA.topics().deadLetters(), DeadLetter.class))
        .extracting(DeadLetter::reason)
        .contains("not written back: down");
  }

  private void start() {
    var loop =
        new WriteBackLoop(
            source,
            () ->
                new AnalysisReader(
                    KAFKA.clients("producer"),
                    source,
                    new FirstStarts(folder, InstantSource.system()),
                    (record, reason) -> unreadable.incrementAndGet()),
            new CommentDelivery(tracker),
            new DeadLetterPublisher(
                producer, KAFKA.clients("producer").topics(), "producer", InstantSource.system()),
            new Telemetry(),
            new DeliveryPace(System::nanoTime, () -> leftAlone));
    loops.add(loop);
    threads.add(Thread.ofVirtual().start(loop));
  }

  /** Waits until the group has committed its beginning, which it does once it has joined. */
  private void awaitJoined() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            return admin
                    .listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .size()
                == 6;
          }
        });
  }

  /** Deletes the group, as a broker does a week after the last member left. */
  private void forgetGroup() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            admin.deleteConsumerGroups(List.of(group())).all().get();
            return true;
          }
        });
  }

  private String group() {
    return KAFKA.topics().prefix() + "write-back." + source.replace('/', '.');
  }

  private void analysed(String item, String session, long offset) {
    KAFKA.produce(KAFKA.topics().analyses(), source + "/" + item, analysis(session, offset));
  }

  private static Analysis analysis(String session, long offset) {
    return new Analysis(
        "1",
        Fingerprint.parse("1:title#00"),
        null,
        "answer",
        List.of(),
        0,
        "scout",
        null,
        session,
        "ledger:" + offset,
        Instant.EPOCH);
  }

  /** Comments in memory; the first failures are scripted. */
  private static final class Tracker implements Comments {
    private final Map<String, List<Comment>> comments = new LinkedHashMap<>();
    private final Map<String, Integer> written = new LinkedHashMap<>();
    private final Deque<TrackerFailure.Category> failures = new ArrayDeque<>();
    private int lost;
    private volatile int looks;

    synchronized void fail(TrackerFailure.Category category) {
      failures.add(category);
    }

    synchronized void loseAnswers(int count) {
      lost = count;
    }

    synchronized int written(String item) {
      return written.getOrDefault(item, 0);
    }

    @Override
    public synchronized List<Comment> of(String item, RequestPermission permission) {
      permission.check();
      looks++;
      if (!failures.isEmpty()) {
        throw new SourceFailure(failures.poll(), "down");
      }
      return List.copyOf(comments.getOrDefault(item, List.of()));
    }

    @Override
    public Optional<String> us(RequestPermission permission) {
      return Optional.empty();
    }

    @Override
    public synchronized void check(RequestPermission permission) {
      permission.check();
    }

    @Override
    public synchronized void add(String item, CommentBody body, RequestPermission permission) {
      var all = comments.computeIfAbsent(item, key -> new ArrayList<>());
      all.add(new Comment(Integer.toString(all.size()), "", body.markdown()));
      written.merge(item, 1, Integer::sum);
      if (lost-- > 0) {
        throw new SourceFailure(TrackerFailure.Category.UNREACHABLE, "the answer was lost");
      }
    }

    @Override
    public synchronized void edit(
        String item, String comment, CommentBody body, RequestPermission permission) {
      Objects.requireNonNull(comments.get(item))
          .set(Integer.parseInt(comment), new Comment(comment, "", body.markdown()));
      written.merge(item, 1, Integer::sum);
    }
  }
}
