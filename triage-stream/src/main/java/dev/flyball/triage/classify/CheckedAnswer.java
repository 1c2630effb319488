package dev.flyball.triage.classify;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns any answer into exactly one verdict for each question. A missing, repeated or nonsensical
 * judgement is replaced by the rules', for that item alone. Judgements of items that were not in
 * the batch are ignored. So one bad item, or one whose text gives the model orders, cannot spoil
 * the others.
 */
final class CheckedAnswer {
  private static final int MOST_MODULES = 10;
  private static final int LONGEST_REASON = 300;

  private CheckedAnswer() {}

  /**
   * Returns the verdicts in the order of the questions.
   *
   * @param by what answered
   */
  static List<Verdict> verdicts(
      List<Question> batch, Answer answer, Classifier by, String batchId) {
    Map<String, List<Judgement>> byId = new HashMap<>();
    answer.judgements().forEach(j -> byId.computeIfAbsent(j.id(), id -> new ArrayList<>()).add(j));
    var verdicts = new ArrayList<Verdict>();
    int asked = batch.size() - answer.unasked().size();
    int at = 0;
    for (Question question : batch) {
      String unasked = answer.unasked().get(question.id());
      List<Judgement> given = byId.getOrDefault(question.id(), List.of());
      String fault = unasked == null ? fault(given) : unasked;
      Judgement judged = fault == null ? given.getFirst() : byRules(question, fault);
      verdicts.add(
          verdict(
              question.id(),
              judged,
              fault == null ? by.model() : RulesClassifier.MODEL,
              fault == null ? by.prompt() : null,
              batchId,
              unasked == null ? share(answer.costMicros(), at++, asked) : 0));
    }
    return verdicts;
  }

  private static @Nullable String fault(List<Judgement> given) {
    if (given.isEmpty()) {
      return "the classifier's answer lacks this item";
    } else if (given.size() > 1) {
      return "the classifier judged this item " + given.size() + " times";
    }
    Judgement only = given.getFirst();
    return only.complexity() < 1 || only.complexity() > 5 || only.priority() < 1
        ? "the classifier's numbers are out of range"
        : null;
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
}
