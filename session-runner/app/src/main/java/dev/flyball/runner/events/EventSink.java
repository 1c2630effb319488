package dev.flyball.runner.events;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.OutputChunk;
import java.util.concurrent.CompletableFuture;

/**
 * Takes events and output on their way to Kafka. No method blocks, because a session's thread must
 * never wait for a broker.
 */
public interface EventSink {

  /**
   * Publishes an event that has to arrive. The future completes once the broker has acknowledged
   * the event. It fails if the producer gave up, with {@link RecordRejected} if the broker never
   * accepts the same record.
   */
  CompletableFuture<Void> publish(LifecycleEvent event);

  /** Publishes an event that may be lost: progress. It is dropped if the queue is long. */
  void offer(LifecycleEvent event);

  /** Publishes lines of output. Returns false if they were dropped, because the queue is long. */
  boolean offer(String session, OutputChunk chunk);

  /** The broker rejects a record for good: sending the same record again changes nothing. */
  public static final class RecordRejected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the failure. */
    public RecordRejected(String reason) {
      super(reason);
    }
  }
}
