package dev.flyball.triage.classify;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges a batch of items in one call. An implementation may cost money and time, and may fail. It
 * checks what a model says; its caller applies the rules to each item without a judgement.
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
   * What a call is booked with of which no answer and no failure is known, in micro-dollars. If it
   * is more than 0, money may be held back under the call's id until its cost is booked.
   */
  default long unknownMicros() {
    return 0;
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
    public Answer {
      judgements = List.copyOf(judgements);
      unasked = Map.copyOf(unasked);
    }

    /** Every question was asked. */
    public Answer(List<Judgement> judgements, long costMicros, long tokens) {
      this(judgements, costMicros, tokens, Map.of());
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
