package dev.flyball.contract.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that triage-stream knows of an item; the value of the compacted state topic.
 *
 * @param schema {@code item-state/1}; in the value because the records of the store's changelog
 *     carry no such header
 * @param snapshot the newest snapshot taken in; its fingerprint is the known one
 * @param at the position of that snapshot's record in work-items
 * @param pending a newer snapshot that waits for the running session's end
 * @param verdict the classifier's verdict on that snapshot, once there is one
 * @param sessions the last five, newest first
 * @param spentMicros micro-dollars over the item's lifetime, for sessions and triage shares
 * @param spentTokens tokens of every kind that its sessions used over its lifetime; null in states
 *     that were written before tokens were counted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ItemState(
    String schema,
    Snapshot snapshot,
    Position at,
    @Nullable Pending pending,
    ItemPhase phase,
    @Nullable Verdict verdict,
    List<SessionNote> sessions,
    long spentMicros,
    @Nullable Long spentTokens,
    Instant updatedAt) {
  /** The schema of this record. */
  public static final String SCHEMA = "item-state/1";

  /** How many past sessions are kept. */
  public static final int NOTES = 5;

  public ItemState {
    sessions = List.copyOf(sessions);
  }

  /** Tokens that its sessions used over its lifetime, as far as they were counted. */
  public long tokensSpent() {
    return spentTokens == null ? 0 : spentTokens;
  }

  /** A snapshot that waits for the running session's end. */
  public record Pending(Snapshot snapshot, Position at) {}

  /**
   * One past session.
   *
   * @param agentSession the agent's own session id
   * @param home the label of the runner on which that can be resumed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record SessionNote(
      String session,
      String request,
      Outcome outcome,
      @Nullable String reason,
      @Nullable String agentSession,
      @Nullable String home,
      boolean reused,
      long tokens,
      long costMicros,
      Instant endedAt) {}
}
