package dev.flyball.contract.triage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A classifier's answer for one item; the value of {@code triage-verdicts}.
 *
 * @param triage id of the question that this answers
 * @param needsDeepAnalysis whether a session is worth its cost
 * @param complexity 1 (trivial) to 5 (deep)
 * @param modules parts of the repository that the item seems to touch
 * @param priority 1 is first
 * @param reason one line for a person
 * @param model the decider, for example {@code rules/1} (no model) or a model's name
 * @param batch id of the one call that answered this item and the rest of its batch
 * @param costMicros this item's share of that call's cost, in micro-dollars
 * @param prompt name and version of the template that the model was asked with; null where no model
 *     was asked
 */
public record Verdict(
    String triage,
    boolean needsDeepAnalysis,
    int complexity,
    List<String> modules,
    int priority,
    String reason,
    String model,
    String batch,
    long costMicros,
    @Nullable String prompt) {

  public Verdict {
    modules = List.copyOf(modules);
  }
}
