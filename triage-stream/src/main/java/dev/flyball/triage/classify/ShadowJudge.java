package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.ShadowVerdict;
import dev.flyball.contract.triage.ShadowVerdict.Decided;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.shadow.ShadowComparison.Compared;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Has batches of past snapshots judged, writes the verdicts to the shadow topic, and books what the
 * calls cost. A verdict that is written is acknowledged before the next call. One thread.
 */
final class ShadowJudge {
  private final Producer<String, byte[]> producer;
  private final Topics topics;
  private final Classifier classifier;
  private final ShadowRun.Settings settings;
  private final InstantSource clock;
  private final List<Compared> compared = new ArrayList<>();
  private int calls;

  ShadowJudge(
      Producer<String, byte[]> producer,
      Topics topics,
      Classifier classifier,
      ShadowRun.Settings settings,
      InstantSource clock) {
    this.producer = producer;
    this.topics = topics;
    this.classifier = classifier;
    this.settings = settings;
    this.clock = clock;
  }

  /** What was judged so far. */
  List<Compared> compared() {
    return compared;
  }

  /**
   * Judges these records of work-items by one call.
   *
   * @param decided what was decided about each, by its place
   * @throws StartFailure if there is no answer, or a tenant's budget left items out: with the
   *     reason
   */
  void judge(List<ConsumerRecord<String, byte[]>> records, Map<Position, Decided> decided) {
    List<BatchCalls.Asked> batch = records.stream().map(ShadowJudge::asked).toList();
    Answer answer = answer(batch);
    String id = settings.run() + "-" + ++calls;
    List<CallJournal.Entry> entries = BatchCalls.entries(batch, answer, classifier, id);
    var sent = new ArrayList<Future<RecordMetadata>>();
    BatchSpend.records(new CallJournal.Answered(id, 0, entries), topics)
        .forEach(spend -> sent.add(producer.send(spend)));
    for (int i = 0; i < records.size(); i++) {
      ConsumerRecord<String, byte[]> record = records.get(i);
      Question question = batch.get(i).question();
      Decided was = decided.get(new Position(record.partition(), record.offset()));
      if (was != null && !answer.unasked().containsKey(question.id())) {
        var verdict =
            new ShadowVerdict(
                settings.run(),
                settings.config(),
                clock.instant(),
                question.snapshot().revision(),
                entries.get(i).verdict(),
                was);
        sent.add(producer.send(record(record.key(), verdict)));
        compared.add(new Compared(record.key(), verdict));
      }
    }
    sent.forEach(ShadowJudge::acknowledged);
    if (!answer.unasked().isEmpty()) {
      // The rules would judge these, which is not what the other configuration is compared by.
      throw new StartFailure(ended(answer.unasked().values().iterator().next()));
    }
  }

  private static BatchCalls.Asked asked(ConsumerRecord<String, byte[]> record) {
    return new BatchCalls.Asked(
        record.offset(),
        null,
        new Question(
            record.partition() + "-" + record.offset(),
            ItemKey.parse(record.key()),
            RecordJson.read(record.value(), Snapshot.class)));
  }

  /** Asks once; what a call without an answer cost is booked too. */
  private Answer answer(List<BatchCalls.Asked> batch) {
    try {
      return classifier.classify(batch.stream().map(BatchCalls.Asked::question).toList());
    } catch (ModelFailure e) {
      Long cost = e.costMicros();
      BatchSpend.unanswered(
              settings.run() + "-failed-" + ++calls,
              BatchCalls.tenants(batch),
              cost == null ? 0 : cost,
              e.tokens(),
              topics)
          .stream()
          .map(producer::send)
          .toList()
          .forEach(ShadowJudge::acknowledged);
      throw new StartFailure(ended(String.valueOf(e.getMessage())), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure(ended("interrupted"), e);
    } catch (Exception e) {
      throw new StartFailure(ended("the classifier failed: " + e), e);
    }
  }

  private String ended(String reason) {
    return "the shadow run ended after "
        + compared.size()
        + " verdicts, which are in "
        + topics.triageShadow()
        + " as run "
        + settings.run()
        + ": "
        + reason;
  }

  private ProducerRecord<String, byte[]> record(String key, ShadowVerdict verdict) {
    String topic = topics.triageShadow();
    return new ProducerRecord<>(
        topic,
        null,
        key,
        RecordJson.bytes(verdict),
        EventHeaders.schema(topics.spec(topic).schema()));
  }

  private static void acknowledged(Future<RecordMetadata> sent) {
    try {
      sent.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while verdicts were written", e);
    } catch (ExecutionException e) {
      throw new StartFailure("a verdict could not be written: " + e.getCause(), e);
    }
  }
}
