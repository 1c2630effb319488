package dev.flyball.triage.classify;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges a batch of items in one call. An implementation may cost money and time, and may fail. It
 * books what it cost and checks what a model says; its caller applies the rules to each item
 * without a judgement.
 */
public interface Classifier {

  /** The name of the model or rules that decide, for example {@code rules/1}. */
  String model();

  /** Name and version of the template of its prompt; null if it asks no model. */
  default @Nullable String prompt() {
    return null;
  }

  /** Whether a call goes to a model, which may take long, fail or cost money. */
  default boolean asksModel() {
    return prompt() != null;
  }

  /**
   * Judges the whole batch in one call.
   *
   * @param call id of the call, used once
   * @throws ModelFailure if there is no answer at all
   */
  Answer classify(String call, List<Question> batch) throws ModelFailure, InterruptedException;

  /**
   * One item.
   *
   * @param id unique within the batch; the judgement repeats it
   */
  record Question(String id, ItemKey item, Snapshot snapshot) {}

  /**
   * The result of one call, in any order.
   *
   * @param judgements of questions of the batch, one at most for each, within the ranges
   * @param costMicros micro-dollars of everything that was asked for the batch
   * @param tokens tokens of every kind, 0 if the model reports none
   * @param unasked questions that were left out, by id, with the reason; they have no part in the
   *     cost
   */
  record Answer(
      List<Judgement> judgements, long costMicros, long tokens, Map<String, String> unasked) {
    private static final int LONGEST_REASON = 300;
    private static final int MOST_MODULES = 10;

    public Answer {
      judgements = List.copyOf(judgements);
      unasked = Map.copyOf(unasked);
    }

    /** Every question was asked. */
    public Answer(List<Judgement> judgements, long costMicros, long tokens) {
      this(judgements, costMicros, tokens, Map.of());
    }

    /**
     * Turns the answer into exactly one verdict for each question, in the order of the questions,
     * with its share of the cost. A missing judgement is replaced by the rules', for that item
     * alone. So one bad item, or one whose text gives the model orders, cannot spoil the others.
     *
     * @param by what answered
     */
    public List<Verdict> verdicts(List<Question> batch, Classifier by, String id) {
      Map<String, Judgement> judged =
          judgements.stream()
              .collect(Collectors.toMap(Judgement::id, Function.identity(), (one, _) -> one));
      var verdicts = new ArrayList<Verdict>();
      int asked = batch.size() - unasked.size();
      int at = 0;
      for (Question question : batch) {
        String left = unasked.get(question.id());
        String fault = left == null ? "the classifier's answer lacks this item" : left;
        Judgement given = judged.get(question.id());
        Judgement taken =
            given == null ? RulesClassifier.judge(question.id(), question.snapshot()) : given;
        verdicts.add(
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
                left == null ? share(costMicros, at, asked) : 0,
                given == null ? null : by.prompt()));
        at += left == null ? 1 : 0;
      }
      return verdicts;
    }

    /** Equal shares that add up to the total; the first items take the rest. */
    static long share(long total, int index, int count) {
      return total / count + (index < total % count ? 1 : 0);
    }
  }

  /** The judgement of one item, as its verdict carries it. */
  record Judgement(
      String id,
      boolean needsDeepAnalysis,
      int complexity,
      List<String> modules,
      int priority,
      String reason) {
    public Judgement {
      modules = List.copyOf(modules);
    }
  }
}
