package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.triage.classify.Classifier.Question;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Gathers questions into batches, has each answered once, publishes the verdicts and commits the
 * questions' offsets, in this order. A crash in between publishes some verdicts twice. The second
 * one finds its question answered and is ignored. One thread.
 */
final class ClassifierLoop {
  /**
   * Longest id and trace that a verdict repeats, in characters; those that Flyball writes are
   * shorter. A verdict that the broker rejects would stop every question behind it.
   */
  private static final int MOST_WORD = 128;

  /**
   * Longest key that is answered, in characters; item keys that Flyball writes have a tenth of it.
   */
  private static final int MOST_KEY = 4096;

  private final Consumer<String, byte[]> consumer;
  private final Producer<String, byte[]> producer;
  private final BatchCalls calls;
  private final Topics topics;
  private final ClassifierService.Settings settings;
  private final DeadLetterPublisher deadLetters;
  private final Deque<ConsumerRecord<String, byte[]>> waiting = new ArrayDeque<>();
  private long doneUpTo = -1;

  ClassifierLoop(
      Consumer<String, byte[]> consumer,
      Producer<String, byte[]> producer,
      Topics topics,
      BatchCalls calls,
      ClassifierService.Settings settings) {
    this.consumer = consumer;
    this.topics = topics;
    this.producer = producer;
    this.calls = calls;
    this.settings = settings;
    this.deadLetters = new DeadLetterPublisher(producer, topics, "triage", settings.clock());
  }

  /** Whether the loop may go on; read before every batch. */
  interface Running {
    boolean get();
  }

  /** Works until {@code running} is false or the consumer is woken up. */
  void run(Running running, Runnable onAssigned) {
    consumer.subscribe(List.of(topics.triageRequests()), new Rebalanced(onAssigned));
    while (running.get()) {
      gather(running);
      if (!waiting.isEmpty() && running.get()) {
        batch();
      }
    }
  }

  /** Waits for a first question, then for more until the batch is full or the linger is over. */
  private void gather(Running running) {
    long deadline = Long.MAX_VALUE;
    while (running.get() && waiting.size() < settings.items()) {
      if (!waiting.isEmpty() && deadline == Long.MAX_VALUE) {
        deadline = System.nanoTime() + settings.linger().toNanos();
      }
      long left = deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      consumer
          .poll(Duration.ofNanos(Math.min(left, Duration.ofMillis(500).toNanos())))
          .forEach(record -> {
            if (record.offset() > doneUpTo) {
              waiting.add(record);
            }
          });
    }
  }

  private void batch() {
    ConsumerRecord<String, byte[]> first = waiting.getFirst();
    Optional<CallJournal.Answered> known = calls.known(first.offset());
    if (known.isPresent()) {
      publish(first, known.get());
      return;
    }
    var taken = new ArrayList<ConsumerRecord<String, byte[]>>();
    while (taken.size() < settings.items() && !waiting.isEmpty()) {
      taken.add(waiting.removeFirst());
    }
    var asked = new ArrayList<BatchCalls.Asked>();
    var sent = new ArrayList<Future<RecordMetadata>>();
    for (ConsumerRecord<String, byte[]> record : taken) {
      BatchCalls.Asked question = read(record, sent);
      if (question != null) {
        asked.add(question);
      }
    }
    sent.forEach(ClassifierLoop::acknowledged);
    long last = taken.getLast().offset();
    if (asked.isEmpty()) {
      commit(first, last);
    } else {
      publish(first, calls.call(asked, first.offset(), last));
    }
  }

  private void publish(ConsumerRecord<String, byte[]> first, CallJournal.Answered batch) {
    String topic = topics.triageVerdicts();
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (CallJournal.Entry entry : batch.entries()) {
      Headers headers = EventHeaders.schema(topics.spec(topic).schema());
      if (entry.traceparent() != null) {
        headers.add("traceparent", entry.traceparent().getBytes(StandardCharsets.UTF_8));
      }
      byte[] value = RecordJson.bytes(entry.verdict());
      sent.add(producer.send(new ProducerRecord<>(topic, null, entry.key(), value, headers)));
    }
    sent.forEach(ClassifierLoop::acknowledged);
    waiting.removeIf(record -> record.offset() <= batch.last());
    commit(first, batch.last());
    calls.published(batch);
  }

  private void commit(ConsumerRecord<String, byte[]> first, long last) {
    doneUpTo = last;
    consumer.commitSync(
        Map.of(
            new TopicPartition(first.topic(), first.partition()), new OffsetAndMetadata(last + 1)));
  }

  private BatchCalls.@Nullable Asked read(
      ConsumerRecord<String, byte[]> record, List<Future<RecordMetadata>> sent) {
    try {
      if (record.key() == null || record.value() == null) {
        throw new UnreadableRecord("the key or the value is missing");
      }
      TriageRequest request = RecordJson.read(record.value(), TriageRequest.class);
      if (request.triage() == null || request.snapshot() == null) {
        throw new UnreadableRecord("property triage or snapshot is missing");
      }
      if (request.triage().length() > MOST_WORD) {
        throw new UnreadableRecord("property triage is longer than " + MOST_WORD + " characters");
      }
      ItemKey item = ItemKey.parse(record.key());
      String trace = EventHeaders.text(record.headers(), "traceparent");
      return new BatchCalls.Asked(
          record.offset(),
          trace == null || trace.length() > MOST_WORD ? null : trace,
          new Question(request.triage(), item, request.snapshot()));
    } catch (RuntimeException e) {
      settings.onDeadLetter().run();
      sent.add(deadLetters.publish(record, String.valueOf(e.getMessage())));
      noVerdict(record.key()).ifPresent(tombstone -> sent.add(producer.send(tombstone)));
      return null;
    }
  }

  /**
   * A tombstone for the item, which then asks again. Without it the item waits, as for a classifier
   * that is down, until a later question is answered.
   */
  private Optional<ProducerRecord<String, byte[]>> noVerdict(@Nullable String key) {
    try {
      String topic = topics.triageVerdicts();
      return key == null || key.length() > MOST_KEY
          ? Optional.empty()
          : Optional.of(new ProducerRecord<>(topic, ItemKey.parse(key).toString(), null));
    } catch (IllegalArgumentException noItem) {
      return Optional.empty();
    }
  }

  private static void acknowledged(Future<RecordMetadata> sent) {
    try {
      sent.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while verdicts were sent", e);
    } catch (ExecutionException e) {
      throw new KafkaException("a verdict could not be sent", e.getCause());
    }
  }

  private final class Rebalanced implements ConsumerRebalanceListener {
    private final Runnable onAssigned;

    Rebalanced(Runnable onAssigned) {
      this.onAssigned = onAssigned;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      doneUpTo = -1;
      onAssigned.run();
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      waiting.clear();
    }
  }
}
