package dev.flyball.contract.triage;

import java.time.Instant;

/**
 * How another configuration judged a snapshot, beside what was decided about it; the value of
 * {@code triage-shadow}. Nothing follows from it.
 *
 * @param run id of the shadow run
 * @param config the configuration file, as the command line named it
 * @param at when it was judged
 * @param revision the item's revision that both judged
 * @param other the verdict of that configuration; its cost was paid
 * @param decided what was decided
 */
public record ShadowVerdict(
    String run, String config, Instant at, String revision, Verdict other, Decided decided) {

  /**
   * What triage decided about a snapshot, as session-events report it.
   *
   * @param needsDeepAnalysis whether a session followed
   * @param reason the verdict's reason
   * @param model what judged
   * @param batch id of the call that answered; empty if the event names none
   * @param costMicros the item's share of that call's cost, in micro-dollars
   * @param at when the verdict was taken
   */
  public record Decided(
      boolean needsDeepAnalysis,
      String reason,
      String model,
      String batch,
      long costMicros,
      Instant at) {}
}
