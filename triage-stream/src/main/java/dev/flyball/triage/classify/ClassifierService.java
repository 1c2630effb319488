package dev.flyball.triage.classify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.triage.classify.QuestionQueue.Asked;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the classifier beside the stream, in a separate thread. After a failure of the broker it
 * tries again at growing intervals; health reports the failure meanwhile.
 */
public final class ClassifierService implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(ClassifierService.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** After so long without a failure the pauses begin again. */
  private static final Duration LONG_RUN = Duration.ofMinutes(1);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final Duration INTERRUPT_LIMIT = Duration.ofSeconds(2);

  private final KafkaClients clients;
  private final Classifier classifier;
  private final Settings settings;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Written by the loop's thread; stop() may only call the consumer's wakeup. */
  private final AtomicReference<@Nullable Consumer<String, byte[]>> polling =
      new AtomicReference<>();

  /** Written by the loop's thread, read by health(). */
  private final AtomicReference<Health> state =
      new AtomicReference<>(Health.starting("classifier: not started"));

  /** An answer that no broker took yet. Used only by the loop's thread. */
  private final AtomicReference<ClassifierLoop.@Nullable Answered> unpublished =
      new AtomicReference<>();

  private @Nullable Thread thread;

  /**
   * The settings of the classifier.
   *
   * @param items most items of a batch
   * @param bytes most bytes of a batch's questions; a larger question is asked alone
   * @param firstPause how long to wait after the first failure of a model that is down
   * @param counts adds one to a counter
   */
  public record Settings(
      int items,
      long bytes,
      Duration linger,
      Duration firstPause,
      InstantSource clock,
      java.util.function.Consumer<Metric> counts) {}

  public ClassifierService(KafkaClients clients, Classifier classifier, Settings settings) {
    this.clients = clients;
    this.classifier = classifier;
    this.settings = settings;
  }

  @Override
  public synchronized void start() {
    if (thread == null && !stopped.get()) {
      state.set(Health.starting("classifier: joining its group"));
      thread = Thread.ofPlatform().name("flyball-classifier").start(this::loop);
    }
  }

  @Override
  public synchronized void stop() {
    stopped.set(true);
    stopping.countDown();
    Consumer<String, byte[]> consumer = polling.get();
    if (consumer != null) {
      consumer.wakeup();
    }
    if (thread != null) {
      try {
        if (!thread.join(STOP_LIMIT)) {
          // A call that hangs would hold up the shutdown; its question is asked again at the next
          // start.
          thread.interrupt();
          var _ = thread.join(INTERRUPT_LIMIT);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public Health health() {
    return state.get();
  }

  /** The group that reads the questions. */
  public static String group(Topics topics) {
    return topics.applicationId() + "-classifier";
  }

  private void loop() {
    Duration pause = FIRST_PAUSE;
    while (!stopped.get()) {
      long begun = System.nanoTime();
      try {
        work();
      } catch (WakeupException e) {
        LOG.debug("classifier woken up");
      } catch (RuntimeException | Error e) {
        // Errors too: without this thread no question is answered any more.
        LOG.warn("classifier starts again: reason={}", e.toString());
        state.set(Health.degraded("classifier", "classifier: " + e.getMessage()));
        if (System.nanoTime() - begun > LONG_RUN.toNanos()) {
          pause = FIRST_PAUSE;
        }
        if (pause(pause.toMillis())) {
          break;
        }
        Duration next = pause.multipliedBy(2);
        pause = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
      }
    }
  }

  private void work() {
    Topics topics = clients.topics();
    Map<String, Object> group =
        Map.of(
            "group.id",
            group(topics),
            "group.protocol",
            "consumer",
            "max.poll.records",
            settings.items(),
            // A model may take minutes for a batch, and is asked about it twice at most.
            "max.poll.interval.ms",
            1_800_000);
    Producer<String, byte[]> producer =
        clients.producer(
            "classifier",
            // As that of the stream: no reader passes the open transaction of a killed process.
            Map.of("transactional.id", group(topics), "transaction.timeout.ms", "10000"));
    try (Consumer<String, byte[]> consumer = clients.consumer("classifier", group);
        TriagingItems items = classifier.asksModel() ? new TriagingItems(clients) : null) {
      polling.set(consumer);
      if (stopped.get()) {
        return;
      }
      var loop =
          new ClassifierLoop(
              consumer,
              producer,
              topics,
              classifier,
              unpublished,
              items == null ? all -> all : items::among,
              settings);
      loop.run(() -> !stopped.get(), state::set);
    } finally {
      polling.set(null);
      // A transaction that no broker ends is ended by the next producer.
      producer.close(INTERRUPT_LIMIT);
    }
  }

  private boolean pause(long millis) {
    try {
      return stopping.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /**
   * Which question each item waits for, by the records of item-state. The stream may run in another
   * process. One thread.
   */
  private static final class TriagingItems implements AutoCloseable {
    /** How long a transaction of the stream may stay open before questions are asked unchecked. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    private final Consumer<String, byte[]> consumer;
    private final Consumer<String, byte[]> uncommitted;
    private final TopicTail tail;

    /** The id of the question by item; without items that wait for none. */
    private final Map<String, String> questions = new HashMap<>();

    /** Reads nothing yet. */
    TriagingItems(KafkaClients clients) {
      this.consumer = clients.consumer("triaging-items");
      this.uncommitted =
          clients.consumer("triaging-ends", Map.of("isolation.level", "read_uncommitted"));
      Topics topics = clients.topics();
      // The stream makes this topic, with the partitions of its input, before it asks a question.
      this.tail =
          new TopicTail(
              consumer,
              IntStream.range(0, topics.spec(topics.workItems()).partitions())
                  .mapToObj(each -> new TopicPartition(topics.itemState(), each))
                  .toList());
    }

    /**
     * Reads to the end first. A question and its item's state are written in one transaction, which
     * may be visible in one topic before the other: so the end is that of uncommitted records too.
     */
    List<Asked> among(List<Asked> batch) {
      if (batch.isEmpty()) {
        return batch;
      }
      if (!tail.readTo(uncommitted.endOffsets(tail.partitions()), this::read, SILENCE)) {
        LOG.warn("item states cannot be read to their end, questions are asked unchecked");
        return batch;
      }
      return batch.stream()
          .filter(
              each -> each.question().id().equals(questions.get(each.question().item().toString())))
          .toList();
    }

    private void read(ConsumerRecord<String, byte[]> record) {
      String question = question(record.value());
      if (question == null) {
        questions.remove(record.key());
      } else {
        questions.put(record.key(), question);
      }
    }

    private static @Nullable String question(byte @Nullable [] state) {
      try {
        return state != null
                && RecordJson.read(state, ItemState.class).phase()
                    instanceof ItemPhase.Triaging triaging
            ? triaging.triage()
            : null;
      } catch (UnreadableRecord e) {
        return null; // The stream starts such an item again, with another question.
      }
    }

    @Override
    public void close() {
      consumer.close();
      uncommitted.close();
    }
  }
}
