package dev.flyball.ops.console.view;

import dev.flyball.ops.telemetry.Health;
import java.time.Instant;

/**
 * A rule that always holds and is broken.
 *
 * @param rule its name, which metrics carry as a tag
 */
public record BrokenInvariant(String rule, String detail, Instant since) {
  /** The code of its condition. */
  public static final String CODE = "invariant";

  /** One line for a person. */
  public String line() {
    return rule + ": " + detail + ", since " + since;
  }

  /** What health reports meanwhile. */
  public Health.Condition condition() {
    return new Health.Condition(CODE, rule, line());
  }
}
