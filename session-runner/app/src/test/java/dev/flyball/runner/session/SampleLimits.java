package dev.flyball.runner.session;

import dev.flyball.testkit.Sample;
import java.util.Map;

/** Limits of which one is not the default, by its name in the record. */
public final class SampleLimits {
  private SampleLimits() {}

  public static SessionLimits with(String name, Object value) {
    return Sample.with(SessionLimits.DEFAULT, Map.of(name, value));
  }
}
