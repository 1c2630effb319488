package dev.flyball.triage.classify;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import java.util.List;

/**
 * Judges a batch of items in one call. An implementation may cost money and time, may fail, and may
 * answer nonsense: the caller trusts nothing and judges by rules what was not answered well.
 */
public interface Classifier {

  /** What decides, for example {@code rules/1}. */
  String model();

  /**
   * One call for the whole batch.
   *
   * @throws Exception if there is no answer at all
   */
  Answer classify(List<Question> batch) throws Exception;

  /**
   * One item.
   *
   * @param id unique within the batch; the judgement repeats it
   */
  record Question(String id, ItemKey item, Snapshot snapshot) {}

  /** What one call gave, in any order. */
  record Answer(List<Judgement> judgements, long costMicros) {
    public Answer {
      judgements = List.copyOf(judgements);
    }
  }

  /** What a verdict says of one item. */
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
