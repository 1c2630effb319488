package dev.flyball.triage.item;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.TriageRequest;

/**
 * The effects of a decision, in order. Due times are no effects: they follow from the phase ({@link
 * dev.flyball.contract.state.ItemPhase#dueAt}), so that index and state cannot disagree.
 */
public sealed interface TriageEffect {

  /** Write a lifecycle event. */
  record Emit(LifecycleEvent event) implements TriageEffect {}

  /** Ask the classifier. */
  record Ask(TriageRequest question) implements TriageEffect {}

  /** Replace the item's record in session-requests. */
  record Request(SessionRequest request) implements TriageEffect {}

  /** Tombstone the item's record in session-requests. */
  record Withdraw(String request) implements TriageEffect {}

  /** Write the item's newest analysis. */
  record Publish(Analysis analysis) implements TriageEffect {}

  /** Write a dead letter that names the snapshot's record in work-items. */
  record GiveUp(String reason, Position at, Snapshot snapshot) implements TriageEffect {}
}
