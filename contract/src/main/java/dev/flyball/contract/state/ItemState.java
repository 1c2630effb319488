package dev.flyball.contract.state;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Set;
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
 * @param sessions the newest ones, newest first: at least five, and one more than the dead sessions
 *     after which the agent's session is rotated
 * @param spentMicros micro-dollars over the item's lifetime, for sessions and triage shares
 * @param spentTokens tokens of every kind that its sessions used over its lifetime
 * @param agentSession the agent's session that the next session may resume; null if there is none
 * @param handover what the next fresh session learns; null if there is nothing
 */
public record ItemState(
    String schema,
    Snapshot snapshot,
    Position at,
    @Nullable Pending pending,
    ItemPhase phase,
    @Nullable Verdict verdict,
    List<SessionNote> sessions,
    long spentMicros,
    long spentTokens,
    Instant updatedAt,
    @Nullable AgentSession agentSession,
    @Nullable Handover handover) {
  /** The schema of this record. */
  public static final String SCHEMA = "item-state/1";

  /** How many past sessions are kept at least. */
  public static final int NOTES = 5;

  public ItemState {
    sessions = List.copyOf(sessions);
  }

  /** A snapshot that waits for the running session's end. */
  public record Pending(Snapshot snapshot, Position at) {}

  /**
   * One past session.
   *
   * @param agentSession the agent's own session id
   * @param home the label of the runner on which that can be resumed
   * @param reused whether it resumed that
   * @param tokens of every kind, as the ledger booked them
   * @param used the same by kind, as the agent reported them; null if it reported none
   * @param failure code of its failure; null if it had none
   * @param cut whether it was ended within a turn of the agent, so that it is unknown what the
   *     agent's session remembers of it; null for no
   */
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
      Instant endedAt,
      @Nullable TokenCount used,
      @Nullable String failure,
      @Nullable Boolean cut) {

    /** Failures that say nothing about a stored conversation: a fresh session meets them too. */
    private static final Set<String> UNRELATED =
        Set.of(
            "exit-code",
            "signal",
            "runner-fault",
            "not-started",
            "result-refused",
            "process-limit",
            "memory-limit",
            "output-limit",
            "session-budget");

    /**
     * Whether it may show that this agent session does not work any more: it resumed that, failed,
     * not one token was used, and the failure is none that has another cause.
     */
    public boolean dead(String of) {
      return reused
          && of.equals(agentSession)
          && outcome == Outcome.FAILED
          && unused()
          && (failure == null || !UNRELATED.contains(failure));
    }

    /** Whether no token was used. The agent's own figures count before those of the ledger. */
    public boolean unused() {
      return used == null ? tokens == 0 : used.none();
    }
  }
}
