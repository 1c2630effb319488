package dev.flyball.kafka;

import org.jspecify.annotations.Nullable;

/**
 * The ledger is not the one that was read before, or cannot be read from its start. Own sessions
 * must end, nothing is claimed any more, an operator decides.
 */
public final class LedgerUnusable extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  LedgerUnusable(String topic, String what) {
    this(topic, what, null);
  }

  LedgerUnusable(String topic, String what, @Nullable Throwable cause) {
    super(
        "ledger "
            + topic
            + " "
            + what
            + "; stop all runners, find out who did so, then start them again",
        cause);
  }
}
