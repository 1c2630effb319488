package dev.flyball.producer;

import dev.flyball.producer.publish.OutstandingReader;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether so many items wait for sessions already that polling for more helps nobody: what changed
 * meanwhile is still there later, several changes of an item as one (T9). Above the limit polls
 * wait, below nine tenths of it they go on, so that they do not begin and end with every session.
 * Any thread.
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

  /** Why a poll must wait, one line; empty if it need not. */
  synchronized Optional<String> refusal() {
    int now;
    try {
      now = size.getAsInt();
    } catch (KafkaException e) {
      // The poll itself will say what is wrong with the broker.
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
