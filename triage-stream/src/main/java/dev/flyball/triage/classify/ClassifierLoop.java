package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.QuestionQueue.Asked;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers questions into batches, has each answered once, and writes the verdicts and the
 * questions' offsets in one transaction. A crash repeats at most the call in flight. Questions that
 * no item waits for are left out. A question on which the model fails is found and judged by rules,
 * while the others go on. One thread.
 */
final class ClassifierLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ClassifierLoop.class);

  /** Longest key that is answered, in characters; item keys have a tenth of it. */
  private static final int MOST_KEY = 4096;

  /** An item that harms no model, to find out whether the model answers at all. */
  private static final Snapshot PROBE =
      new Snapshot(
          "1",
          "Button has the wrong label",
          "The button on the start page says Sing in instead of Sign in.",
          "open",
          false,
          "bug",
          2,
          List.of(),
          null,
          null,
          null,
          true,
          Fingerprint.of(new TreeMap<>()),
          null,
          null);

  private final Consumer<String, byte[]> consumer;
  private final Producer<String, byte[]> producer;
  private final Classifier classifier;
  private final AtomicReference<@Nullable Answered> unpublished;
  private final Topics topics;
  private final ClassifierService.Settings settings;
  private final QuestionQueue waiting;

  private final Outage outage;
  private final FaultSearch search;
  private final UnaryOperator<List<Asked>> open;

  /** Dead letters that are to be written, and what their items are answered. */
  private final List<ProducerRecord<String, byte[]>> givenUp = new ArrayList<>();

  /** What follows the newest failure, and what it said. */
  private FaultSearch.Then then = FaultSearch.Then.WAIT;

  private String fault = "";

  /** Whether the producer may begin transactions. */
  private boolean begun;

  /**
   * An answer as its verdicts.
   *
   * @param first the offset of its first question
   * @param next the offset after its last question
   */
  record Answered(long first, long next, List<ProducerRecord<String, byte[]>> verdicts) {
    Answered {
      verdicts = List.copyOf(verdicts);
    }
  }

  /**
   * @param unpublished outlives this loop: an answer that was paid while no broker was there is
   *     published by the next one
   * @param open those of these questions whose items wait for them; a question that may be open is
   *     among them
   */
  ClassifierLoop(
      Consumer<String, byte[]> consumer,
      Producer<String, byte[]> producer,
      Topics topics,
      Classifier classifier,
      AtomicReference<@Nullable Answered> unpublished,
      UnaryOperator<List<Asked>> open,
      ClassifierService.Settings settings) {
    this.consumer = consumer;
    this.topics = topics;
    this.producer = producer;
    this.classifier = classifier;
    this.unpublished = unpublished;
    this.settings = settings;
    this.waiting = new QuestionQueue(settings.bytes(), this::giveUp);
    this.outage = new Outage(settings.firstPause());
    this.search = new FaultSearch(settings.items());
    this.open = open;
  }

  /**
   * Works until {@code running}, read before every batch, is false or the consumer is woken up.
   *
   * @param health told whenever it changes
   */
  void run(BooleanSupplier running, java.util.function.Consumer<Health> health) {
    consumer.subscribe(List.of(topics.triageRequests()), rebalanced(health));
    while (running.getAsBoolean()) {
      gather(running);
      if (!waiting.isEmpty() && running.getAsBoolean()) {
        try {
          boolean answers = search.probes() ? probe() : batch();
          if (answers && outage.lasts()) {
            outage.over();
            health.accept(Health.healthy());
          }
        } catch (ModelFailure e) {
          if (!running.getAsBoolean()) {
            return; // A stop ends the call; its questions are asked again at the next start.
          }
          switch (then) {
            case GO_ON ->
                LOG.info("a batch failed, smaller ones follow: reason={}", e.getMessage());
            case SOON -> rest(running, outage.shortest(e));
            case WAIT -> {
              Duration pause = outage.failed(e);
              health.accept(defer(e, pause));
              rest(running, pause);
            }
          }
        }
      }
    }
  }

  /** Says of each gathered question, once, that it waits and why. */
  private Health defer(ModelFailure failure, Duration pause) {
    String what =
        failure.kind() == ModelFailure.Kind.NO_BUDGET
            ? "the classifier is not asked: "
            : "the classifier is down: ";
    String reason = what + failure.getMessage();
    if (outage.began()) {
      LOG.warn("no verdicts, items wait: reason={}", reason);
    }
    var waits = new ArrayList<ProducerRecord<String, byte[]>>();
    for (Asked each : waiting) {
      if (outage.unsaid(each.offset())) {
        ProducerRecord<String, byte[]> tombstone = noVerdict(each.question().item());
        tombstone.headers().add(EventHeaders.DEFERRED, reason.getBytes(StandardCharsets.UTF_8));
        waits.add(tombstone);
      }
    }
    if (!waits.isEmpty()) {
      write(waits, waiting.next());
    }
    return Health.degraded(
        "classifier", reason + "; next call in " + Math.max(1, pause.toSeconds()) + " s");
  }

  /**
   * Waits as a member of its group. It reads on while there is room: an item whose question was not
   * read would have no reason for its wait.
   */
  private void rest(BooleanSupplier running, Duration pause) {
    long end = System.nanoTime() + pause.toNanos();
    long left = pause.toNanos();
    while (running.getAsBoolean() && left > 0) {
      poll(left);
      left = end - System.nanoTime();
    }
  }

  /** Waits for a first question, then for more until the batch is full or the linger is over. */
  private void gather(BooleanSupplier running) {
    // Also where many batches wait: a member that does not poll for long loses its partitions.
    poll(0);
    long deadline = Long.MAX_VALUE;
    while (running.getAsBoolean() && !enough()) {
      if (!waiting.isEmpty() && deadline == Long.MAX_VALUE) {
        deadline = System.nanoTime() + settings.linger().toNanos();
      }
      long left = deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      poll(left);
    }
  }

  private void poll(long nanos) {
    waiting.poll(consumer, nanos);
    if (!givenUp.isEmpty()) {
      write(givenUp, waiting.next());
      givenUp.clear();
    }
  }

  private boolean enough() {
    return !waiting.isEmpty()
        && (search.searches() || waiting.full(search.most(waiting.first().offset())));
  }

  /** Takes one batch to its verdicts; returns whether the classifier was asked. */
  private boolean batch() throws ModelFailure {
    Asked first = waiting.first();
    Answered paid = unpublished.get();
    if (paid != null && paid.first() == first.offset()) {
      publish(paid);
      return false;
    }
    List<Asked> taken = waiting.take(search.most(first.offset()), search.last());
    List<Asked> asked = open.apply(taken);
    if (asked.size() < taken.size()) {
      LOG.info("questions dropped: count={}", taken.size() - asked.size());
    }
    long next = taken.getLast().offset() + 1;
    if (asked.isEmpty()) {
      write(List.of(), next);
      return false;
    }
    String id = call(first.offset());
    Answer answer;
    try {
      answer = ask(asked, id);
    } catch (ModelFailure e) {
      waiting.putBack(asked);
      then = search.failed(e.kind(), asked.size(), asked.getLast().offset());
      fault = String.valueOf(e.getMessage());
      throw e;
    }
    search.answered(asked.size(), next - 1);
    answered(first.offset(), next, id, asked, answer);
    return true;
  }

  /**
   * Asks about an item that harms no model, for the tenant of the question that failed. If the
   * model answers, and one question failed alone, that question is judged by rules.
   */
  private boolean probe() throws ModelFailure {
    Asked first = waiting.first();
    long offset = first.offset();
    ItemKey item = first.question().item();
    var probe = new Asked(offset, 0, new Question("probe", item, PROBE));
    try {
      ask(List.of(probe), call(offset));
    } catch (ModelFailure e) {
      search.probeFailed();
      then = FaultSearch.Then.WAIT;
      throw e;
    }
    if (search.probed()) {
      LOG.warn("the model fails on one item alone: item={} reason={}", item, fault);
      Map<String, String> unasked =
          Map.of(first.question().id(), "the model fails on this item alone: " + fault);
      var rules = new Answer(List.of(), 0, 0, unasked);
      answered(offset, offset + 1, call(offset), List.of(first), rules);
    }
    return true;
  }

  /** A new id for a call that begins with this question; the ledger books each id once. */
  private static String call(long first) {
    return "b" + first + "-" + UUID.randomUUID();
  }

  /**
   * Asks once.
   *
   * @throws ModelFailure if the model does not answer: the batch must be asked again, because
   *     judged by rules its items could all get a session
   */
  private Answer ask(List<Asked> batch, String id) throws ModelFailure {
    settings.counts().accept(Metric.TRIAGE_CALLS);
    try {
      return classifier.classify(id, questions(batch));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the classifier was asked", e);
    }
  }

  private static List<Question> questions(List<Asked> batch) {
    return batch.stream().map(Asked::question).toList();
  }

  private void answered(long first, long next, String id, List<Asked> batch, Answer answer) {
    String topic = topics.triageVerdicts();
    List<Verdict> verdicts = answer.verdicts(questions(batch), classifier, id);
    var records = new ArrayList<ProducerRecord<String, byte[]>>();
    for (Asked each : batch) {
      String item = each.question().item().toString();
      Headers schema = EventHeaders.schema(topics.spec(topic).schema());
      Headers headers = EventHeaders.trace(schema, item, each.question().snapshot().revision());
      byte[] value = RecordJson.bytes(verdicts.get(records.size()));
      records.add(new ProducerRecord<>(topic, null, item, value, headers));
    }
    publish(new Answered(first, next, records));
  }

  private void publish(Answered answered) {
    unpublished.set(answered);
    write(answered.verdicts(), answered.next());
    unpublished.set(null);
  }

  /** Writes records in one transaction with the first unanswered question's offset. */
  private void write(List<ProducerRecord<String, byte[]>> records, long next) {
    try {
      producer.beginTransaction();
      for (ProducerRecord<String, byte[]> record : records) {
        var _ = producer.send(record); // The commit fails if a record is not written.
      }
      producer.sendOffsetsToTransaction(
          Map.of(new TopicPartition(topics.triageRequests(), 0), new OffsetAndMetadata(next)),
          consumer.groupMetadata());
      producer.commitTransaction();
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new KafkaException("verdicts cannot be sent: " + cause.getMessage(), cause);
    }
    waiting.done(next - 1);
  }

  /** Makes a record that is no question a dead letter; the item that it names asks again. */
  private void giveUp(ConsumerRecord<String, byte[]> record, String why) {
    settings.counts().accept(Metric.DEAD_LETTERS);
    DeadLetter letter =
        DeadLetterPublisher.letter(record, why, "triage", settings.clock().instant());
    givenUp.add(DeadLetterPublisher.record(topics, record.key(), letter));
    if (record.key() != null && record.key().length() <= MOST_KEY) {
      try {
        givenUp.add(noVerdict(ItemKey.parse(record.key())));
      } catch (IllegalArgumentException noItem) {
        // Then no item waits for it.
      }
    }
  }

  /** The item asks again or, with a reason in the record's header, waits on. */
  private ProducerRecord<String, byte[]> noVerdict(ItemKey item) {
    return new ProducerRecord<>(topics.triageVerdicts(), item.toString(), null);
  }

  private ConsumerRebalanceListener rebalanced(java.util.function.Consumer<Health> health) {
    return new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty() && !begun) {
          // Fences a former member, and ends its transaction before its offsets are read.
          producer.initTransactions();
          begun = true;
        }
        waiting.assigned();
        outage.reassigned();
        search.reassigned();
        if (!outage.lasts()) {
          health.accept(Health.healthy());
        }
      }

      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        waiting.clear();
      }
    };
  }

  /**
   * A time without answers of the model: how long to wait before each further call, and which items
   * were said to wait. Used only by the classifier's thread.
   */
  private static final class Outage {
    /** The longest pause that grows by itself, in first pauses. */
    private static final int MOST_PAUSES = 60;

    /**
     * The same while each call may cost money. With a first pause of 5 s and 0.10 USD a call, a
     * model that answers nothing for a day costs 5 USD.
     */
    private static final int MOST_PAID_PAUSES = 360;

    /**
     * The longest pause that a provider may ask for, above every weekly limit. A time in
     * milliseconds where seconds are expected would let items wait for centuries.
     */
    private static final Duration LONGEST = Duration.ofDays(8);

    private final Duration firstPause;
    private int failures;
    private long saidUpTo = -1;

    /** None so far. */
    Outage(Duration firstPause) {
      this.firstPause = firstPause;
    }

    /** Whether the last call failed. */
    boolean lasts() {
      return failures > 0;
    }

    /**
     * Counts a failed call; returns how long to wait: twice as long after each, and at least as
     * long as the provider says, within eight days. One call in this time finds out whether the
     * model is back.
     */
    Duration failed(ModelFailure failure) {
      failures++;
      Duration pause = firstPause.multipliedBy(1L << Math.min(failures - 1, 16));
      Long cost = failure.costMicros();
      boolean paid = cost == null || cost > 0;
      Duration most = firstPause.multipliedBy(paid ? MOST_PAID_PAUSES : MOST_PAUSES);
      return least(pause.compareTo(most) > 0 ? most : pause, failure);
    }

    /** The first pause, or as long as the provider says, within eight days. */
    Duration shortest(ModelFailure failure) {
      return least(firstPause, failure);
    }

    private static Duration least(Duration usual, ModelFailure failure) {
      Duration asked = failure.retryAfter();
      if (asked == null || asked.compareTo(usual) < 0) {
        return usual;
      }
      return asked.compareTo(LONGEST) < 0 ? asked : LONGEST;
    }

    /** Whether this was its first failure. */
    boolean began() {
      return failures == 1;
    }

    /** Whether the item of a question has not been said to wait; from now on it has. */
    boolean unsaid(long offset) {
      if (offset <= saidUpTo) {
        return false;
      }
      saidUpTo = offset;
      return true;
    }

    /** Forgets what was said: another member of the group may have read since. */
    void reassigned() {
      saidUpTo = -1;
    }

    /** The model has answered. */
    void over() {
      failures = 0;
      saidUpTo = -1;
    }
  }
}
