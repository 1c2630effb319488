package dev.flyball.producer;

import dev.flyball.producer.publish.OutstandingReader;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether polls must wait because too many items already wait for a session or run. What changes
 * meanwhile is found by a later poll, several changes of one item as one change. Polls wait above
 * the limit and go on below nine tenths of it, so that they do not stop and start with every
 * session. Any thread.
 */
final class Backlog {
  private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

  private final int limit;
  private final IntSupplier size;
  private boolean full;

  Backlog(int limit, IntSupplier size) {
    this.limit = limit;
    this.size = size;
  }

  static Backlog of(int limit, OutstandingReader outstanding) {
    return new Backlog(limit, outstanding::size);
  }

  /** Why a poll must wait, one line; empty if it need not wait. */
  synchronized Optional<String> whyNot() {
    int now;
    try {
      now = size.getAsInt();
    } catch (KafkaException e) {
      // The poll itself reports what is wrong with the broker.
      LOG.debug("backlog unknown", e);
      return Optional.empty();
    }
    full = full ? now >= limit * 9L / 10 : now > limit;
    return full
        ? Optional.of(
            now
                + " items wait for sessions or run, poll.backlog is "
                + limit
                + "; polls go on below 90 %")
        : Optional.empty();
  }
}
