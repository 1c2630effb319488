package dev.flyball.contract.session;

import dev.flyball.contract.text.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * What a fresh agent session learns of the one before it.
 *
 * @param reason why that one is not resumed, to follow "because"; null if there is no such reason
 * @param previous the agent's id of that one; null if there was none
 * @param previousRun the session that showed the reason: the newest dead one, else the newest; null
 *     if none is known
 * @param summary how the newest session with an answer ended, bounded; null if none had one
 */
public record Handover(
    @Nullable String reason,
    @Nullable String previous,
    @Nullable String previousRun,
    @Nullable String summary) {
  /** Nothing to hand over. */
  public static final Handover NONE = new Handover(null, null, null, null);

  /** The reason where the runner that has the agent's session does not take the request. */
  public static final String HOME_MISSING = "its home is not there";

  /** The reason where the profile runs another adapter than the one that made the session. */
  public static final String OTHER_AGENT = "its profile runs another agent now";

  /** Most characters of a summary: every state with an agent's session holds one. */
  public static final int MOST_SUMMARY = 600;

  /** Returns the same with the start of this answer as the summary. */
  public Handover summing(String answer) {
    return new Handover(
        reason,
        previous,
        previousRun,
        OneLine.of(OneLine.start(answer, 4 * MOST_SUMMARY), MOST_SUMMARY));
  }

  /** Returns the same for a session that is fresh for this reason. */
  public Handover because(String why, String agentSession, @Nullable String run) {
    return new Handover(why, agentSession, run, summary);
  }

  /** Returns only the summary: the session that has just ended had the reason in its prompt. */
  public Handover summaryOnly() {
    return new Handover(null, null, null, summary);
  }

  /** The line for people and agents; empty if the session is fresh for no reason. */
  public String warning() {
    return reason == null ? "" : "Starting a fresh session because " + reason + ".";
  }
}
