package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers questions into batches, has each answered once, publishes the verdicts and commits the
 * questions' offsets, in this order. A crash in between publishes some verdicts twice. The second
 * one finds its question answered and is ignored. Questions that no item waits for are left out. A
 * question on which the model fails is found and judged by rules, while the others go on. One
 * thread.
 */
final class ClassifierLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ClassifierLoop.class);

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
  private final CallJournal journal;
  private final Topics topics;
  private final ClassifierService.Settings settings;
  private final DeadLetterPublisher deadLetters;
  private final QuestionQueue waiting;

  private final Outage outage;
  private final FaultSearch search;
  private final UnaryOperator<List<Verdicts.Asked>> open;

  /** What follows the newest failure, and what it said. */
  private FaultSearch.Then then = FaultSearch.Then.WAIT;

  private String fault = "";

  /**
   * @param open those of these questions whose items wait for them; a question that may be open is
   *     among them
   */
  ClassifierLoop(
      Consumer<String, byte[]> consumer,
      Producer<String, byte[]> producer,
      Topics topics,
      Classifier classifier,
      CallJournal journal,
      UnaryOperator<List<Verdicts.Asked>> open,
      ClassifierService.Settings settings) {
    this.consumer = consumer;
    this.topics = topics;
    this.producer = producer;
    this.classifier = classifier;
    this.journal = journal;
    this.settings = settings;
    this.waiting = new QuestionQueue(settings.bytes());
    this.outage = new Outage(settings.firstPause());
    this.search = new FaultSearch(settings.items());
    this.open = open;
    this.deadLetters = new DeadLetterPublisher(producer, topics, "triage", settings.clock());
  }

  /**
   * Works until {@code running}, read before every batch, is false or the consumer is woken up.
   *
   * @param health told whenever it changes
   */
  void run(BooleanSupplier running, java.util.function.Consumer<Health> health) {
    // Before anything is asked: a process that is killed again and again would pay unseen.
    book();
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
    var sent = new ArrayList<Future<RecordMetadata>>();
    for (ConsumerRecord<String, byte[]> record : waiting) {
      if (outage.unsaid(record.offset())) {
        noVerdict(record.key())
            .ifPresent(tombstone -> {
              tombstone
                  .headers()
                  .add(EventHeaders.DEFERRED, reason.getBytes(StandardCharsets.UTF_8));
              sent.add(producer.send(tombstone));
            });
      }
    }
    sent.forEach(ClassifierLoop::acknowledged);
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
      waiting.poll(consumer, left);
      left = end - System.nanoTime();
    }
  }

  /** Waits for a first question, then for more until the batch is full or the linger is over. */
  private void gather(BooleanSupplier running) {
    // Also where many batches wait: a member that does not poll for long loses its partitions.
    waiting.poll(consumer, 0);
    long deadline = Long.MAX_VALUE;
    while (running.getAsBoolean() && !enough()) {
      if (!waiting.isEmpty() && deadline == Long.MAX_VALUE) {
        deadline = System.nanoTime() + settings.linger().toNanos();
      }
      long left = deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      waiting.poll(consumer, left);
    }
  }

  private boolean enough() {
    return !waiting.isEmpty()
        && (search.searches() || waiting.full(search.most(waiting.first().offset())));
  }

  /** Takes one batch to its verdicts; returns whether the classifier was asked. */
  private boolean batch() throws ModelFailure {
    ConsumerRecord<String, byte[]> first = waiting.first();
    Optional<CallJournal.Answered> known = journal.answeredAt(settings.topicId(), first.offset());
    if (known.isPresent()) {
      publish(first, known.get());
      return false;
    }
    int most = search.most(first.offset());
    List<ConsumerRecord<String, byte[]>> taken = waiting.take(most, search.last());
    var readable = new ArrayList<Verdicts.Asked>();
    var sent = new ArrayList<Future<RecordMetadata>>();
    for (ConsumerRecord<String, byte[]> record : taken) {
      Verdicts.Asked question = read(record, sent);
      if (question != null) {
        readable.add(question);
      }
    }
    List<Verdicts.Asked> asked = open.apply(readable);
    if (asked.size() < readable.size()) {
      LOG.info("questions dropped: count={}", readable.size() - asked.size());
    }
    sent.forEach(ClassifierLoop::acknowledged);
    long last = taken.getLast().offset();
    // An answer is found again by its first offset. Without this commit a crash would read the
    // dead letters in front of it again, and pay for the same questions under another offset.
    long begin = asked.isEmpty() ? last + 1 : asked.getFirst().offset();
    if (begin > first.offset()) {
      commit(first, begin - 1);
    }
    if (asked.isEmpty()) {
      return false;
    }
    String id = asked(asked, begin, last);
    Answer answer;
    try {
      answer = ask(asked, id);
    } catch (ModelFailure e) {
      Set<Long> offsets =
          asked.stream().map(Verdicts.Asked::offset).collect(Collectors.toUnmodifiableSet());
      waiting.putBack(taken.stream().filter(each -> offsets.contains(each.offset())).toList());
      then = search.failed(e.kind(), asked.size(), asked.getLast().offset());
      fault = String.valueOf(e.getMessage());
      throw e;
    }
    search.answered(asked.size(), last);
    answered(first, id, last, asked, answer);
    return true;
  }

  /**
   * Asks about an item that harms no model, for the tenant of the question that failed. If the
   * model answers, and one question failed alone, that question is judged by rules.
   */
  private boolean probe() throws ModelFailure {
    ConsumerRecord<String, byte[]> first = waiting.first();
    long offset = first.offset();
    Verdicts.Asked question = Verdicts.read(first);
    var probe = new Verdicts.Asked(offset, null, new Question("probe", question.item(), PROBE));
    String id = asked(List.of(probe), offset, offset);
    try {
      Answer answer = ask(List.of(probe), id);
      journal.cost(id, answer.costMicros(), answer.tokens());
    } catch (ModelFailure e) {
      search.probeFailed();
      then = FaultSearch.Then.WAIT;
      throw e;
    }
    book();
    if (search.probed()) {
      LOG.warn("the model fails on one item alone: item={} reason={}", first.key(), fault);
      Map<String, String> unasked =
          Map.of(question.question().id(), "the model fails on this item alone: " + fault);
      List<Verdicts.Asked> alone = List.of(question);
      String rules = asked(alone, offset, offset);
      answered(first, rules, offset, alone, new Answer(List.of(), 0, 0, unasked));
    }
    return true;
  }

  private String asked(List<Verdicts.Asked> batch, long begin, long last) {
    return journal.asked(
        settings.topicId(), begin, last, Verdicts.tenants(batch), settings.clock().instant());
  }

  /**
   * Asks once; what a failed call cost is booked. After an interrupt the cost stays unknown:
   * nothing knows it.
   *
   * @throws ModelFailure if the model does not answer: the batch must be asked again, because
   *     judged by rules its items could all get a session
   */
  private Answer ask(List<Verdicts.Asked> batch, String id) throws ModelFailure {
    settings.counts().accept(Metric.TRIAGE_CALLS);
    try {
      return classifier.classify(id, batch.stream().map(Verdicts.Asked::question).toList());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the classifier was asked", e);
    } catch (ModelFailure e) {
      Long cost = e.costMicros();
      journal.cost(id, cost == null ? 0 : cost, e.tokens());
      book();
      throw e;
    }
  }

  /**
   * Journals an answer, then publishes it. Verdicts that the journal cannot keep, as on a full
   * disk, are published all the same: they were paid.
   */
  private void answered(
      ConsumerRecord<String, byte[]> first,
      String id,
      long last,
      List<Verdicts.Asked> batch,
      Answer answer) {
    var answered = new CallJournal.Answered(id, last, Verdicts.of(batch, answer, classifier, id));
    try {
      journal.answered(answered, settings.clock().instant());
    } catch (StartFailure e) {
      LOG.warn("answer not journaled, published all the same: batchId={}", id, e);
    }
    publish(first, answered);
  }

  /** Books the calls that gave no verdicts: those that failed, and those that a crash cut off. */
  private void book() {
    long unknown = classifier.unknownMicros();
    for (CallJournal.Unbooked call : journal.unbooked()) {
      Long cost = call.costMicros();
      BatchSpend.unanswered(
              call.id(),
              call.tenants(),
              cost == null ? unknown : cost,
              call.tokens(),
              unknown > 0,
              topics)
          .stream()
          .map(producer::send)
          .toList()
          .forEach(ClassifierLoop::acknowledged);
      journal.booked(call);
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
    BatchSpend.records(batch, classifier.unknownMicros() > 0, topics)
        .forEach(spend -> sent.add(producer.send(spend)));
    sent.forEach(ClassifierLoop::acknowledged);
    commit(first, batch.last());
    journal.published(batch.id());
  }

  private void commit(ConsumerRecord<String, byte[]> first, long last) {
    waiting.done(last);
    consumer.commitSync(
        Map.of(
            new TopicPartition(first.topic(), first.partition()), new OffsetAndMetadata(last + 1)));
  }

  private Verdicts.@Nullable Asked read(
      ConsumerRecord<String, byte[]> record, List<Future<RecordMetadata>> sent) {
    try {
      return Verdicts.read(record);
    } catch (RuntimeException e) {
      settings.counts().accept(Metric.DEAD_LETTERS);
      sent.add(deadLetters.publish(record, String.valueOf(e.getMessage())));
      noVerdict(record.key()).ifPresent(tombstone -> sent.add(producer.send(tombstone)));
      return null;
    }
  }

  private Optional<ProducerRecord<String, byte[]>> noVerdict(@Nullable String key) {
    return Verdicts.item(key)
        .map(item -> new ProducerRecord<>(topics.triageVerdicts(), item.toString(), null));
  }

  /** Waits for the broker's answer; its failure is the cause of the {@link KafkaException}. */
  static void acknowledged(Future<RecordMetadata> sent) {
    try {
      sent.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while verdicts were sent", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      String why = String.valueOf((cause == null ? e : cause).getMessage());
      throw new KafkaException("verdicts or their cost cannot be sent: " + why, cause);
    }
  }

  private ConsumerRebalanceListener rebalanced(java.util.function.Consumer<Health> health) {
    return new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
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
