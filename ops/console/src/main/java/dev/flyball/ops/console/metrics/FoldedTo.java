package dev.flyball.ops.console.metrics;

/**
 * How far the events of one partition of session-events are folded. A consumer group without
 * members loses its positions after some days, and its events are read again; the windows that hold
 * them are still there, so without this they would be counted twice.
 *
 * @param offset of the event folded last
 * @param at the newest of the times, in milliseconds, that the records folded so far were written
 */
public record FoldedTo(long offset, long at) {
  /** Before the first event. */
  public static final FoldedTo NONE = new FoldedTo(-1, Long.MIN_VALUE);

  /**
   * Whether this event is folded. A lower offset with a newer time than all before is an event of a
   * topic that was truncated or made again: no record that was folded can have it.
   *
   * @param next the offset of the event
   * @param written the time of its record
   */
  public boolean contains(long next, long written) {
    return next <= offset && written <= at;
  }

  /** The same after an event that it does not contain. */
  public FoldedTo after(long next, long written) {
    return new FoldedTo(next, Math.max(at, written));
  }
}
