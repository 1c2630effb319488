package dev.flyball.triage.item;

/** What a newer snapshot does to a running session of its item ({@code triage.on-newer}). */
public enum OnNewer {
  /** The session goes on; the newer snapshot waits for its end. */
  FINISH,
  /**
   * The session's request is withdrawn, so its runner ends the session. The newer snapshot is taken
   * when that session has ended.
   */
  CANCEL
}
