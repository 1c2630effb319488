package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one batch from questions to journaled verdicts: once answered it is never asked again,
 * whatever crashes afterwards.
 */
final class BatchCalls {
  private static final Logger LOG = LoggerFactory.getLogger(BatchCalls.class);

  private static final int LONGEST_REASON = 300;
  private static final int MOST_MODULES = 10;

  /**
   * Longest id and trace that a verdict repeats, in characters; those that Flyball writes are
   * shorter. A verdict that the broker rejects would stop every question behind it.
   */
  private static final int MOST_WORD = 128;

  /** Longest key that is answered, in characters; item keys have a tenth of it. */
  private static final int MOST_KEY = 4096;

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

  private final Classifier classifier;
  private final CallJournal journal;
  private final String topicId;
  private final InstantSource clock;
  private final Consumer<Metric> counts;

  BatchCalls(
      Classifier classifier,
      CallJournal journal,
      String topicId,
      InstantSource clock,
      Consumer<Metric> counts) {
    this.classifier = classifier;
    this.journal = journal;
    this.topicId = topicId;
    this.clock = clock;
    this.counts = counts;
  }

  /** A question with the offset of its record. */
  record Asked(long offset, @Nullable String traceparent, Question question) {
    ItemKey item() {
      return question.item();
    }
  }

  /**
   * Calls the classifier once and journals its answer. Verdicts that the journal cannot keep, as on
   * a full disk, are returned all the same: they were paid.
   *
   * @throws ModelFailure if the model does not answer: the batch must be asked again, because
   *     judged by rules its items could all get a session. Its cost is among the journal's unbooked
   *     ones
   */
  CallJournal.Answered call(List<Asked> batch, long first, long last) throws ModelFailure {
    String id = asked(batch, first, last);
    Answer answer = ask(batch, id);
    List<CallJournal.Entry> entries = entries(batch, answer, classifier, id);
    try {
      journal.answered(id, entries, clock.instant());
    } catch (IllegalStateException e) {
      LOG.warn("answer not journaled, published all the same: batchId={}", id, e);
    }
    return new CallJournal.Answered(id, last, entries);
  }

  /**
   * Asks about an item that harms no model, to find out whether the model answers at all. The
   * tenant of the question that failed pays; the cost is among the journal's unbooked ones.
   *
   * @throws ModelFailure if it does not answer
   */
  void probe(Asked failed) throws ModelFailure {
    var probe = new Asked(failed.offset(), null, new Question("probe", failed.item(), PROBE));
    String id = asked(List.of(probe), probe.offset(), probe.offset());
    Answer answer = ask(List.of(probe), id);
    journal.cost(id, answer.costMicros(), answer.tokens());
  }

  /** The verdict by rules on a question on which the model fails. */
  CallJournal.Answered byRules(Asked question, long last, String reason) {
    List<Asked> batch = List.of(question);
    String id = asked(batch, question.offset(), last);
    Map<String, String> unasked = Map.of(question.question().id(), reason);
    List<CallJournal.Entry> entries =
        entries(batch, new Answer(List.of(), 0, 0, unasked), classifier, id);
    journal.answered(id, entries, clock.instant());
    return new CallJournal.Answered(id, last, entries);
  }

  /** The journal of the calls. */
  CallJournal journal() {
    return journal;
  }

  /** What a call of unknown cost is booked with, in micro-dollars. */
  long unknownMicros() {
    return classifier.unknownMicros();
  }

  private String asked(List<Asked> batch, long first, long last) {
    return journal.asked(topicId, first, last, tenants(batch), clock.instant());
  }

  static List<String> tenants(List<Asked> batch) {
    return batch.stream().map(each -> each.item().tenant()).toList();
  }

  /**
   * Turns any answer into exactly one verdict for each question, in the order of the questions,
   * with its share of the cost and the tokens. A missing judgement is replaced by the rules', for
   * that item alone. So one bad item, or one whose text gives the model orders, cannot spoil the
   * others.
   *
   * @param by what answered
   */
  static List<CallJournal.Entry> entries(
      List<Asked> batch, Answer answer, Classifier by, String id) {
    Map<String, Judgement> byId =
        answer.judgements().stream()
            .collect(Collectors.toMap(Judgement::id, Function.identity(), (one, _) -> one));
    var entries = new ArrayList<CallJournal.Entry>();
    int asked = batch.size() - answer.unasked().size();
    int at = 0;
    for (Asked each : batch) {
      Question question = each.question();
      String unasked = answer.unasked().get(question.id());
      Judgement given = byId.get(question.id());
      String fault = unasked == null ? "the classifier's answer lacks this item" : unasked;
      entries.add(
          new CallJournal.Entry(
              each.item().toString(),
              each.traceparent(),
              verdict(
                  question.id(),
                  given == null ? byRules(question, fault) : given,
                  given == null ? RulesClassifier.MODEL : by.model(),
                  given == null ? null : by.prompt(),
                  id,
                  unasked == null ? share(answer.costMicros(), at, asked) : 0),
              unasked == null ? share(answer.tokens(), at, asked) : 0));
      at += unasked == null ? 1 : 0;
    }
    return entries;
  }

  /** After an interrupt the call's cost stays unknown: nothing knows it. */
  private Answer ask(List<Asked> batch, String id) throws ModelFailure {
    counts.accept(Metric.TRIAGE_CALLS);
    try {
      return classifier.classify(id, batch.stream().map(Asked::question).toList());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the classifier was asked", e);
    } catch (ModelFailure e) {
      Long cost = e.costMicros();
      journal.cost(id, cost == null ? 0 : cost, e.tokens());
      throw e;
    }
  }

  private static Judgement byRules(Question question, String fault) {
    Judgement rules = RulesClassifier.judge(question.id(), question.snapshot());
    return new Judgement(
        rules.id(),
        rules.needsDeepAnalysis(),
        rules.complexity(),
        rules.modules(),
        rules.priority(),
        fault + "; by rules: " + rules.reason());
  }

  private static Verdict verdict(
      String id,
      Judgement j,
      String model,
      @Nullable String prompt,
      String batchId,
      long costMicros) {
    return new Verdict(
        id,
        j.needsDeepAnalysis(),
        j.complexity(),
        j.modules().subList(0, Math.min(j.modules().size(), MOST_MODULES)),
        j.priority(),
        OneLine.of(j.reason(), LONGEST_REASON),
        model,
        batchId,
        costMicros,
        prompt);
  }

  /** Equal shares that add up to the total; the first items take the rest. */
  static long share(long total, int index, int count) {
    return total / count + (index < total % count ? 1 : 0);
  }

  /**
   * Reads a record of triage-requests, and refuses what no verdict could repeat.
   *
   * @throws RuntimeException if it cannot be read; the message says why
   */
  static Asked read(ConsumerRecord<String, byte[]> record) {
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
    return new Asked(
        record.offset(),
        trace == null || trace.length() > MOST_WORD ? null : trace,
        new Question(request.triage(), item, request.snapshot()));
  }

  /**
   * The item of a question's key, to which a record without a verdict can be sent. The item then
   * asks again or, with a reason in the record's header, waits on.
   */
  static Optional<ItemKey> item(@Nullable String key) {
    try {
      return key == null || key.length() > MOST_KEY
          ? Optional.empty()
          : Optional.of(ItemKey.parse(key));
    } catch (IllegalArgumentException noItem) {
      return Optional.empty();
    }
  }
}
