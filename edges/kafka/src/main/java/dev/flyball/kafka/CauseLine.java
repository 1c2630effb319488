package dev.flyball.kafka;

import dev.flyball.contract.text.OneLine;
import java.util.concurrent.ExecutionException;

/** A cause in one line, without the wrappers that futures and constructors put around it. */
final class CauseLine {
  private static final int LIMIT = 300;

  private CauseLine() {}

  static String of(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null
        && (root instanceof ExecutionException
            || root instanceof org.apache.kafka.common.KafkaException)) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    return OneLine.of(message, LIMIT);
  }
}
