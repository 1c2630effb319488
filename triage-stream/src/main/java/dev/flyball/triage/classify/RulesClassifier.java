package dev.flyball.triage.classify;

import dev.flyball.contract.item.Snapshot;
import java.util.List;

/**
 * Judges by countable signs in the text; deterministic, no model, no cost. The table of signs and
 * points is docs/triage.md. It is selective: a session is for a defect that says where and how it
 * fails, or is urgent, or is marked as wanted.
 */
public final class RulesClassifier implements Classifier {
  /** Named in every verdict; grows when the scoring changes. */
  public static final String MODEL = "rules/2";

  /** Points from which an item deserves a session. */
  static final int ENOUGH = 7;

  @Override
  public String model() {
    return MODEL;
  }

  @Override
  public Answer classify(String call, List<Question> batch) {
    return new Answer(
        batch.stream().map(question -> judge(question.id(), question.snapshot())).toList(), 0, 0);
  }

  static Judgement judge(String id, Snapshot snapshot) {
    List<TriageRule> found = TriageRule.in(snapshot);
    int points = found.stream().mapToInt(TriageRule::points).sum();
    boolean deep = points >= ENOUGH;
    return new Judgement(
        id,
        deep,
        complexity(points),
        PathWords.in(snapshot),
        priority(snapshot, found),
        reason(points, deep, found));
  }

  private static int complexity(int points) {
    return points < 2 ? 1 : points < 5 ? 2 : points < ENOUGH ? 3 : points < 10 ? 4 : 5;
  }

  /** The tracker's own priority, one step up for an item with a stack trace. */
  private static int priority(Snapshot snapshot, List<TriageRule> found) {
    int own = Math.clamp(snapshot.priority(), 1, 9);
    return found.contains(TriageRule.STACK_TRACE) ? Math.max(1, own - 1) : own;
  }

  private static String reason(int points, boolean deep, List<TriageRule> found) {
    String signs =
        found.isEmpty()
            ? "no signs"
            : String.join(", ", found.stream().map(TriageRule::toString).toList());
    return points + " points, " + (deep ? "enough" : "too few") + " (" + ENOUGH + "): " + signs;
  }
}
