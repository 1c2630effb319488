package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A question that cannot be answered must not stop the ones behind it. */
final class ClassifierLoopTest {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final TopicPartition QUESTIONS = new TopicPartition(TOPICS.triageRequests(), 0);
  private static final Snapshot SNAPSHOT = Sample.snapshot("Title", "text");

  private final Path folder;
  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final CallJournal journal;
  private long offset;

  ClassifierLoopTest(@TempDir Path folder) {
    this.folder = folder;
    this.journal = CallJournal.open(folder.resolve("classifier.db"));
  }

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
    loop(producer, classifier(model, 0), 4)
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
    assertThat(spends().stream().mapToLong(LedgerEntry.Spend::costMicros).sum())
        .as("five calls failed and cost 4, three were answered and cost 1000")
        .isEqualTo(3_020);
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
    loop(producer, classifier(model, 0), 4).run(() -> healths.size() < 2, healths::add);
    assertThat(healths.getLast().reasons().getFirst())
        .startsWith(what + ": not now")
        .contains(" " + Duration.ofDays(8).toSeconds() + " s");
  }

  @Test
  @DisplayName("INV-8: a call that a kill cut off is booked at its limit, once")
  void aLostCallIsBookedOnce() {
    List<String> tenants = List.of("acme", "zeta", "acme");
    String id = journal.asked("T", 3, 5, tenants, Instant.EPOCH);

    run(new ScriptedModel(), 90, () -> false);
    run(new ScriptedModel(), 90, () -> false);

    assertThat(spends())
        .containsExactly(
            new LedgerEntry.Spend("acme", id + "/acme", 60, 0),
            new LedgerEntry.Spend("zeta", id + "/zeta", 30, 0));
  }

  @Test
  @DisplayName("INV-4: an answer that was journaled is published after a crash, not asked for")
  void aJournaledAnswerIsNotAskedForAgain() {
    var verdict = new Verdict("t0", false, 1, List.of(), 1, "r", "before", "b", 9, null);
    String id = journal.asked("T", 0, 1, List.of("acme", "acme"), Instant.EPOCH);
    var entry = new CallJournal.Entry("acme/items/0", null, verdict, 5);
    journal.answered(new CallJournal.Answered(id, 1, List.of(entry)), Instant.EPOCH);
    var model = new ScriptedModel();
    assigned(() -> ask(0, 3));

    run(model, 0, () -> answers().size() < 2);

    assertThat(model.sizes()).as("only the question behind them").containsExactly(1);
    assertThat(RecordJson.read(answers().getFirst().value(), Verdict.class)).isEqualTo(verdict);
    assertThat(spends().getFirst()).isEqualTo(new LedgerEntry.Spend("acme", id + "/acme", 9, 5));
  }

  @Test
  @DisplayName(
      "a dead letter before a waiting batch is committed: the batch keeps its first offset")
  void aWaitingBatchKeepsItsOffsetOverACrash() {
    var model = new ScriptedModel();
    model.down = new ModelFailure(Kind.UNAVAILABLE, "overloaded", null, 0L);
    assigned(() -> {
      consumer.addRecord(question("acme/items/1", "{nonsense"));
      ask(0, 1);
    });
    var committed = new ArrayList<Long>();
    run(
        model,
        0,
        () -> {
          if (model.down != null && model.sizes().size() == 1) {
            consumer
                .committed(Set.of(QUESTIONS))
                .values()
                .forEach(each -> committed.add(each.offset()));
            model.down = null;
          }
          return answers().isEmpty();
        });
    assertThat(committed).as("while the model is down").containsExactly(1L);
    assertThat(journal.answeredAt("T", 1)).isPresent();
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
    loop(producer, classifier(model, 0), 50).run(() -> answers().size() < questions, _ -> {});
    assertThat(journal.unbooked()).isEmpty();
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
    assertThat(spends().stream().mapToLong(LedgerEntry.Spend::costMicros).sum())
        .as("every call is booked, at 1000 at most")
        .isLessThanOrEqualTo(calls * 1_000L);
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
            classifier(model, 0),
            journal,
            all -> all.stream().filter(each -> each.offset() % 2 == 1).toList(),
            settings(4))
        .run(() -> answers().size() < 2, _ -> {});
    assertThat(model.sizes()).containsExactly(2);
    assertThat(answers())
        .extracting(ProducerRecord::key)
        .containsExactly("acme/items/1", "acme/items/3");
    assertThat(sent(TOPICS.triageVerdicts())).as("no tombstone: the item asks nothing").hasSize(2);
    assertThat(consumer.committed(Set.of(QUESTIONS)))
        .containsEntry(QUESTIONS, new OffsetAndMetadata(4));
  }

  @Test
  @DisplayName("INV-8: the cost of a failed call is booked after a restart if no broker took it")
  void theCostOfAFailedCallOutlivesTheBroker() {
    var away = new AtomicBoolean(true);
    var broken =
        new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer()) {
          @Override
          public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
            return away.get()
                ? CompletableFuture.failedFuture(new TimeoutException("no broker"))
                : super.send(record);
          }
        };
    var model = new ScriptedModel();
    model.down = new ModelFailure(Kind.UNCLEAR, "connection reset", null, 70L, 3);
    assigned(() -> ask(0, 1));
    Classifier calls = classifier(model, 100);
    var first = loop(broken, calls, 4);
    assertThatThrownBy(() -> first.run(() -> true, _ -> {})).isInstanceOf(KafkaException.class);
    away.set(false);
    var next = loop(producer, calls, 4);
    next.run(() -> false, _ -> {});
    next.run(() -> false, _ -> {});
    assertThat(spends())
        .singleElement()
        .satisfies(spend -> {
          assertThat(spend.costMicros()).isEqualTo(70);
          assertThat(spend.tokens()).isEqualTo(3);
        });
  }

  @Test
  @DisplayName("a full disk: an answer that was paid is published although no journal can keep it")
  void anAnswerThatCannotBeJournaledIsPublished() throws Exception {
    Path file = folder.resolve("classifier.db");
    assigned(() -> ask(0, 2));
    var model = new ScriptedModel();
    try (Database other = Database.open(file, CallJournal.class, "")) {
      other.update(
          "CREATE TRIGGER full BEFORE UPDATE ON batch"
              + " BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
      Classifier calls = classifier(model, 100);
      var loop = loop(producer, calls, 4);
      assertThatThrownBy(() -> loop.run(() -> true, _ -> {})).isInstanceOf(StartFailure.class);
      assertThat(answers()).hasSize(2);
      assertThat(consumer.committed(Set.of(QUESTIONS)))
          .containsEntry(QUESTIONS, new OffsetAndMetadata(2));

      other.update("DROP TRIGGER full");
      loop(producer, calls, 4).run(() -> false, _ -> {});
    }
    assertThat(model.sizes()).as("one call").hasSize(1);
    LedgerState ledger = LedgerState.empty();
    for (LedgerEntry.Spend spend : spends()) {
      ledger = ledger.fold(spend, ledger.offset() + 1, Instant.EPOCH).state();
    }
    assertThat(ledger.spentMicros("global", Instant.EPOCH)).as("booked once").isEqualTo(1_000);
  }

  @Test
  @DisplayName("a ledger that may not be written is named: nothing is committed meanwhile")
  void aTopicThatMayNotBeWrittenIsNamed() {
    var denied =
        new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer()) {
          @Override
          public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
            return record.topic().equals(TOPICS.sessionLedger())
                ? CompletableFuture.failedFuture(
                    new TopicAuthorizationException(Set.of(record.topic())))
                : super.send(record);
          }
        };
    assigned(() -> ask(0, 1));
    var loop = loop(denied, classifier(new ScriptedModel(), 0), 4);
    assertThatThrownBy(() -> loop.run(() -> true, _ -> {}))
        .isInstanceOf(KafkaException.class)
        .hasMessageContaining(TOPICS.sessionLedger());
    assertThat(consumer.committed(Set.of(QUESTIONS))).isEmpty();
  }

  @AfterEach
  void close() {
    journal.close();
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
    return new ClassifierLoop(consumer, to, TOPICS, calls, journal, all -> all, settings(items));
  }

  private void run(ScriptedModel model, long unknownMicros, BooleanSupplier running) {
    loop(producer, classifier(model, unknownMicros), 4).run(running, _ -> {});
  }

  private Classifier classifier(ScriptedModel model, long unknownMicros) {
    var judge =
        new ModelClassifier(
            model, BatchPrompt.BUNDLED, unknownMicros, 5_000, () -> UUID.randomUUID().toString());
    return new BudgetedClassifier(judge, new NoLimits(), unknownMicros);
  }

  private static final class NoLimits implements BudgetedClassifier.Budgets {
    @Override
    public List<BudgetUse> now() {
      return List.of();
    }

    @Override
    public boolean reserve(String call, Map<String, Long> micros) {
      return true;
    }
  }

  private List<LedgerEntry.Spend> spends() {
    return sent(TOPICS.sessionLedger()).stream()
        .map(it -> RecordJson.read(it.value(), LedgerEntry.Spend.class))
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
        folder,
        "T",
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
