package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Reads questions, and makes verdicts of any answer to them. */
final class Verdicts {
  private static final int LONGEST_REASON = 300;
  private static final int MOST_MODULES = 10;

  /**
   * Longest id and trace that a verdict repeats, in characters; those that Flyball writes are
   * shorter. A verdict that the broker rejects would stop every question behind it.
   */
  private static final int MOST_WORD = 128;

  /** Longest key that is answered, in characters; item keys have a tenth of it. */
  private static final int MOST_KEY = 4096;

  private Verdicts() {}

  /** A question with the offset of its record. */
  record Asked(long offset, @Nullable String traceparent, Question question) {
    ItemKey item() {
      return question.item();
    }
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
  static List<CallJournal.Entry> of(List<Asked> batch, Answer answer, Classifier by, String id) {
    Map<String, Judgement> judged =
        answer.judgements().stream()
            .collect(Collectors.toMap(Judgement::id, Function.identity(), (one, _) -> one));
    var entries = new ArrayList<CallJournal.Entry>();
    int asked = batch.size() - answer.unasked().size();
    int at = 0;
    for (Asked each : batch) {
      Question question = each.question();
      String unasked = answer.unasked().get(question.id());
      String fault = unasked == null ? "the classifier's answer lacks this item" : unasked;
      Judgement given = judged.get(question.id());
      Judgement taken =
          given == null ? RulesClassifier.judge(question.id(), question.snapshot()) : given;
      var verdict =
          new Verdict(
              question.id(),
              taken.needsDeepAnalysis(),
              taken.complexity(),
              taken.modules().stream().limit(MOST_MODULES).toList(),
              taken.priority(),
              OneLine.of(
                  (given == null ? fault + "; by rules: " : "") + taken.reason(), LONGEST_REASON),
              given == null ? RulesClassifier.MODEL : by.model(),
              id,
              unasked == null ? share(answer.costMicros(), at, asked) : 0,
              given == null ? null : by.prompt());
      long tokens = unasked == null ? share(answer.tokens(), at, asked) : 0;
      entries.add(
          new CallJournal.Entry(each.item().toString(), each.traceparent(), verdict, tokens));
      at += unasked == null ? 1 : 0;
    }
    return entries;
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
