package dev.flyball.broker;

/**
 * The embedded broker cannot start. The message is one line: the problem, the place and the fix.
 */
public final class BrokerStartFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokerStartFailed(String line) {
    super(line);
  }

  BrokerStartFailed(String line, Throwable cause) {
    super(line, cause);
  }
}
