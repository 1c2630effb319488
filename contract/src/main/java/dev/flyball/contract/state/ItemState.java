package dev.flyball.contract.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that triage-stream knows of an item; the value of the compacted state topic.
 *
 * @param schema {@code item-state/1}; in the value because the store's changelog carries no headers
 *     of ours
 * @param snapshot the newest snapshot taken in; its fingerprint is the known one
 * @param at where that snapshot's record stands in work-items
 * @param pending a newer snapshot that waits for the running session's end
 * @param verdict what the classifier said of that snapshot, once it did
 * @param sessions the last five, newest first
 * @param spentMicros over the item's lifetime, sessions and triage shares
 * @param spentTokens over its lifetime, tokens of every kind of its sessions; null in states that
 *     were written before they were counted
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
  /** The schema of this shape. */
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

  /** A place in work-items. */
  public record Position(int partition, long offset) {}

  /** A snapshot that waits for the running session's end. */
  public record Pending(Snapshot snapshot, Position at) {}

  /**
   * One past session.
   *
   * @param agentSession the agent's own session id
   * @param home the runner home where that can be resumed
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
