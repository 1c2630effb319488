package dev.flyball.runner.protocol.simulation;

/** An invariant is broken. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String invariant, String what) {
    super(invariant + ": " + what);
  }
}
