package dev.flyball.ops.telemetry;

/**
 * A part of the program that runs until it is stopped. Start and stop are idempotent, stop before
 * start is allowed, stop waits until everything has ended, and a controlled stop is not an error.
 */
public interface Service extends AutoCloseable {

  /** Starts; returns once the service works or has begun to get ready for it. */
  void start();

  /** Stops the service and waits until it has ended. */
  void stop();

  /**
   * Ends the time that a {@link #stop}, in progress or later, gives to running work: that work is
   * interrupted in an orderly way instead. Any thread; returns immediately.
   */
  default void endDrain() {}

  /** The current health; cheap. Any thread. */
  Health health();

  @Override
  default void close() {
    stop();
  }
}
