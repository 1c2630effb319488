package dev.flyball.broker;

import org.jspecify.annotations.Nullable;

/** The embedded broker cannot start. The message is one line: problem, place and fix. */
public final class BrokerStartFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokerStartFailed(String line) {
    super(line);
  }

  BrokerStartFailed(String line, @Nullable Throwable cause) {
    super(line, cause);
  }
}
