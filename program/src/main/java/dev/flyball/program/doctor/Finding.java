package dev.flyball.program.doctor;

import dev.flyball.contract.text.Labelled;

/**
 * The result of one check.
 *
 * @param check what, for example {@code containment}
 * @param found what was seen, one line
 * @param fix what to do about it; empty if all is well
 */
public record Finding(String check, State state, String found, String fix) {

  /** How severe it is. */
  public enum State implements Labelled {
    /** It is missing, and not configured. */
    ABSENT,
    OK,
    /** It works with restrictions. */
    DEGRADED,
    /** It does not work. */
    UNHEALTHY;
  }

  /** What is wrong and its fix, one line. */
  public String line() {
    return found + "; " + fix;
  }

  static Finding ok(String check, String found) {
    return new Finding(check, State.OK, found, "");
  }

  /** This one; a degraded one with this fix where something is wrong, unless it is so already. */
  Finding degradedIf(boolean wrong, String remedy) {
    return wrong && state == State.OK ? degraded(check, found, remedy) : this;
  }

  /** This one; an unhealthy one with this fix where something is wrong. */
  Finding unhealthyIf(boolean wrong, String remedy) {
    return wrong ? unhealthy(check, found, remedy) : this;
  }

  static Finding absent(String check, String found, String fix) {
    return new Finding(check, State.ABSENT, found, fix);
  }

  static Finding degraded(String check, String found, String fix) {
    return new Finding(check, State.DEGRADED, found, fix);
  }

  static Finding unhealthy(String check, String found, String fix) {
    return new Finding(check, State.UNHEALTHY, found, fix);
  }
}
