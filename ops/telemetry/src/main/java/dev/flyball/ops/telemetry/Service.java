package dev.flyball.ops.telemetry;

/**
 * Something that runs until it is stopped. Start and stop are idempotent, stop before start is
 * legal, stop waits until everything is ended, and a controlled stop is not an error.
 */
public interface Service extends AutoCloseable {

  /** Starts; returns once the service does its work or has begun to get ready for it. */
  void start();

  /** Stops and waits. */
  void stop();

  /**
   * Ends the time that a {@link #stop}, running or to come, leaves to work that is under way: it is
   * interrupted in an orderly way instead. Any thread; returns at once.
   */
  default void endDrain() {}

  /** How it is now; cheap, may be asked from any thread. */
  Health health();

  @Override
  default void close() {
    stop();
  }
}
