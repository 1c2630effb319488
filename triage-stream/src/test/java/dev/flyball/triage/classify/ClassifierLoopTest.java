package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A question that cannot be answered must not stop the ones behind it. */
final class ClassifierLoopTest {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final TopicPartition QUESTIONS = new TopicPartition(TOPICS.triageRequests(), 0);
  private static final Snapshot SNAPSHOT = Sample.snapshot("Title", "text");

  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final AtomicReference<ClassifierLoop.@Nullable Answered> unpublished =
      new AtomicReference<>();
  private final List<Long> booked = new ArrayList<>();
  private long offset;

  @Test
  void brokenQuestionsAreDeadLettersWithoutVerdictsAndTheNextOneIsAnswered() {
    String good = RecordJson.write(new TriageRequest("t1", SNAPSHOT));
    List<String> values =
        List.of(
            "{nonsense",
            good.replace("\"title\":\"Title\",", ""),
            RecordJson.write(new TriageRequest("x".repeat(900_000), SNAPSHOT)),
            good);
    assigned(() -> {
      values.forEach(value -> consumer.addRecord(question("acme/items/1", value)));
      consumer.addRecord(question("y".repeat(900_000), good));
    });
    loop(producer, new RulesClassifier(), 5).run(() -> answers().isEmpty(), _ -> {});
    assertThat(sent(TOPICS.triageVerdicts()).stream().filter(record -> record.value() == null))
        .as("a tombstone for each question that has an item's key")
        .hasSize(3)
        .allSatisfy(tombstone -> assertThat(tombstone.key()).isEqualTo("acme/items/1"));
    assertThat(answers())
        .singleElement()
        .satisfies(verdict ->
            assertThat(RecordJson.read(verdict.value(), Verdict.class).triage()).isEqualTo("t1"));
    assertThat(sent(TOPICS.deadLetters()))
        .hasSize(4)
        .allSatisfy(letter -> {
          assertThat(letter.key()).hasSizeLessThan(5_000);
          assertThat(letter.value()).hasSizeLessThan(500_000);
        });
  }

  @Test
  void whileTheClassifierIsDownItemsWaitWithTheReasonAndLaterGoOutInFullBatches() {
    var model = new ScriptedModel();
    model.down = new ModelFailure(Kind.UNAVAILABLE, "overloaded", Duration.ofMillis(1), 4L);
    assigned(() -> ask(0, 4));
    consumer.schedulePollTask(() -> ask(4, 12));
    var healths = new ArrayList<Health>();
    loop(producer, classifier(model), 4)
        .run(
            () -> {
              if (model.sizes().size() == 5) {
                assertThat(answers()).as("nothing is let through").isEmpty();
                model.down = null;
              }
              return answers().size() < 12;
            },
            healths::add);
    assertThat(model.sizes()).containsExactly(4, 4, 4, 4, 4, 4, 4, 4);
    assertThat(answers())
        .extracting(answer -> RecordJson.read(answer.value(), Verdict.class).model())
        .containsOnly("scripted");
    assertThat(sent(TOPICS.triageVerdicts()).stream().filter(it -> it.value() == null))
        .as("each waiting item is told once, with the reason")
        .hasSize(12)
        .allSatisfy(it ->
            assertThat(EventHeaders.text(it.headers(), EventHeaders.DEFERRED))
                .contains("overloaded"));
    assertThat(booked)
        .as("five calls failed and cost 4, three were answered and cost 1000")
        .containsExactly(4L, 4L, 4L, 4L, 4L, 1_000L, 1_000L, 1_000L);
    assertThat(healths.stream().map(Health::status))
        .startsWith(Health.Status.HEALTHY, Health.Status.DEGRADED)
        .endsWith(Health.Status.DEGRADED, Health.Status.HEALTHY);
  }

  @ParameterizedTest
  @CsvSource({"UNAVAILABLE, the classifier is down", "NO_BUDGET, the classifier is not asked"})
  void healthSaysWhetherTheModelIsDownOrNotAskedAndThePauseIsBounded(Kind kind, String what) {
    var model = new ScriptedModel();
    model.down = new ModelFailure(kind, "not now", Duration.ofSeconds(Long.MAX_VALUE), 0L);
    assigned(() -> ask(0, 1));
    var healths = new ArrayList<Health>();
    loop(producer, classifier(model), 4).run(() -> healths.size() < 2, healths::add);
    assertThat(healths.getLast().reasons().getFirst())
        .startsWith(what + ": not now")
        .contains(" " + Duration.ofDays(8).toSeconds() + " s");
  }

  @Test
  @DisplayName("INV-4: an answer that no broker took is published by the next loop, not asked for")
  void anAnswerThatNoBrokerTookIsNotAskedForAgain() {
    var away = new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
    away.commitTransactionException = new KafkaException("no broker");
    var model = new ScriptedModel();
    assigned(() -> ask(0, 3));
    var first = loop(away, classifier(model), 4);
    assertThatThrownBy(() -> first.run(() -> true, _ -> {})).hasMessageContaining("no broker");
    assertThat(away.history()).isEmpty();

    consumer.unsubscribe();
    offset = 0;
    assigned(() -> ask(0, 5));
    loop(producer, classifier(model), 4).run(() -> answers().size() < 5, _ -> {});

    assertThat(model.sizes()).as("then only the questions behind them").containsExactly(3, 2);
    assertThat(committed()).containsExactly(3L, 5L);
    assertThat(unpublished.get()).isNull();
  }

  @Test
  @DisplayName("a dead letter before a waiting batch is written once, whenever a crash comes")
  void aDeadLetterBeforeAWaitingBatchIsCommitted() {
    var model = new ScriptedModel();
    model.down = new ModelFailure(Kind.UNAVAILABLE, "overloaded", null, 0L);
    assigned(() -> {
      consumer.addRecord(question("acme/items/1", "{nonsense"));
      ask(0, 1);
    });
    loop(producer, classifier(model), 4)
        .run(
            () -> {
              if (model.down != null && model.sizes().size() == 1) {
                assertThat(committed().getFirst()).as("while the model is down").isEqualTo(1);
                model.down = null;
              }
              return answers().isEmpty();
            },
            _ -> {});
    assertThat(sent(TOPICS.deadLetters())).hasSize(1);
  }

  @RepeatedTest(5)
  @DisplayName("a model that fails on some items: all others have its verdict, those have a reason")
  void itemsOnWhichTheModelFailsAreFoundAndTheOthersGoOn() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    var model = new ScriptedModel();
    int questions = 1 + random.nextInt(200);
    var bad = new TreeSet<Integer>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      int each = random.nextInt(questions);
      Kind kind = List.of(Kind.BAD_BATCH, Kind.SLOW, Kind.UNCLEAR).get(random.nextInt(3));
      bad.add(each);
      model.poison.put("title: Title " + each + "\n", new ModelFailure(kind, "bad", null, 7L));
    }
    assigned(() -> {
      for (int i = 0; i < questions; i++) {
        Snapshot snapshot = Sample.snapshot("Title " + i, "text");
        String value = RecordJson.write(new TriageRequest("t" + i, snapshot));
        consumer.addRecord(question("tenant" + i % 3 + "/items/" + i, value));
      }
    });
    loop(producer, classifier(model), 50).run(() -> answers().size() < questions, _ -> {});
    String story = "seed " + seed + ": " + bad + " of " + questions + ", calls " + model.sizes();
    var byRules = new TreeSet<Integer>();
    for (ProducerRecord<String, byte[]> answer : answers()) {
      Verdict verdict = RecordJson.read(answer.value(), Verdict.class);
      if (!verdict.model().equals("scripted")) {
        byRules.add(Integer.parseInt(verdict.triage().substring(1)));
        assertThat(verdict.reason()).as(story).contains("bad");
        assertThat(verdict.costMicros()).isZero();
      }
    }
    assertThat(byRules).as(story).isEqualTo(bad);
    int calls = model.sizes().size();
    assertThat(calls).as(story).isLessThanOrEqualTo(questions / 50 + 1 + bad.size() * 23);
    assertThat(booked).as("every call is booked").hasSize(calls).allMatch(each -> each <= 1_000);
  }

  @Test
  @DisplayName("a question that no item waits for any more is not asked, and stops no other")
  void aQuestionThatNoItemWaitsForIsLeftOut() {
    var model = new ScriptedModel();
    assigned(() -> ask(0, 4));
    new ClassifierLoop(
            consumer,
            producer,
            TOPICS,
            classifier(model),
            unpublished,
            all -> all.stream().filter(each -> each.offset() % 2 == 1).toList(),
            settings(4))
        .run(() -> answers().size() < 2, _ -> {});
    assertThat(model.sizes()).containsExactly(2);
    assertThat(answers())
        .extracting(ProducerRecord::key)
        .containsExactly("acme/items/1", "acme/items/3");
    assertThat(sent(TOPICS.triageVerdicts())).as("no tombstone: the item asks nothing").hasSize(2);
    assertThat(committed().getLast()).isEqualTo(4);
  }

  /** With the first poll come the partition and these questions. */
  private void assigned(Runnable questions) {
    consumer.schedulePollTask(() -> {
      consumer.rebalance(List.of(QUESTIONS));
      consumer.updateBeginningOffsets(Map.of(QUESTIONS, 0L));
      questions.run();
    });
  }

  private ClassifierLoop loop(Producer<String, byte[]> to, Classifier calls, int items) {
    return new ClassifierLoop(
        consumer, to, TOPICS, calls, unpublished, all -> all, settings(items));
  }

  private Classifier classifier(ScriptedModel model) {
    var judge =
        new ModelClassifier(
            model, BatchPrompt.BUNDLED, 0, 5_000, () -> UUID.randomUUID().toString());
    return new BudgetedClassifier(judge, new NoLimits(), 0);
  }

  private final class NoLimits implements BudgetedClassifier.Budgets {
    @Override
    public List<BudgetUse> now() {
      return List.of();
    }

    @Override
    public boolean reserve(String call, Map<String, Long> micros) {
      return true;
    }

    @Override
    public void book(String call, Map<String, Long> micros, Map<String, Long> tokens) {
      booked.add(micros.values().stream().mapToLong(each -> each).sum());
    }
  }

  /** The committed offsets, in their order. */
  private List<Long> committed() {
    return producer.consumerGroupOffsetsHistory().stream()
        .flatMap(each -> each.values().stream())
        .map(each -> Objects.requireNonNull(each.get(QUESTIONS)).offset())
        .toList();
  }

  private void ask(int from, int to) {
    for (int i = from; i < to; i++) {
      String value = RecordJson.write(new TriageRequest("t" + i, SNAPSHOT));
      consumer.addRecord(question("acme/items/" + i, value));
    }
  }

  private ClassifierService.Settings settings(int items) {
    return new ClassifierService.Settings(
        items,
        10_000_000,
        Duration.ofMillis(10),
        Duration.ofMillis(10),
        InstantSource.system(),
        _ -> {});
  }

  private ConsumerRecord<String, byte[]> question(String key, String value) {
    return new ConsumerRecord<>(
        QUESTIONS.topic(), 0, offset++, key, value.getBytes(StandardCharsets.UTF_8));
  }

  private List<ProducerRecord<String, byte[]>> answers() {
    return sent(TOPICS.triageVerdicts()).stream().filter(it -> it.value() != null).toList();
  }

  private List<ProducerRecord<String, byte[]>> sent(String topic) {
    return producer.history().stream().filter(record -> record.topic().equals(topic)).toList();
  }
}
