package dev.flyball.ops.console.view;

import java.time.Instant;

/**
 * A rule that always holds and is broken.
 *
 * @param rule its name, which metrics carry as a tag
 */
public record BrokenInvariant(String rule, String detail, Instant since) {
  /** One line for a person. */
  public String line() {
    return rule + ": " + detail + ", since " + since;
  }
}
