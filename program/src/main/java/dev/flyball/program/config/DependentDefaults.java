package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentName;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values that unset keys get from other keys. {@code config} shows them, because an empty row
 * would hide which model is paid for.
 */
public final class DependentDefaults {
  private final Map<String, String> values = new HashMap<>();
  private final String source;

  /** The values that follow from this configuration. */
  public DependentDefaults(AppConfigurations apps) {
    AgentName agent = apps.agent();
    source = "default for " + agent;
    put(Keys.MODEL, agent.sessionModel());
    switch (apps.classifier()) {
      case ConfiguredClassifier.Rules rules -> put(Keys.CLASSIFIER, "rules");
      case ConfiguredClassifier.ByAgent by -> {
        put(Keys.CLASSIFIER, "agent");
        put(Keys.TRIAGE_AGENT, by.agent().toString());
        put(Keys.TRIAGE_MODEL, by.agent().model());
      }
    }
    apps.agents()
        .dailyBudget()
        .ifPresent(micros ->
            put(
                Keys.DAILY_BUDGET,
                BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString()));
  }

  private void put(Key<?> key, @Nullable String value) {
    if (value != null) {
      values.put(key.name(), value);
    }
  }

  /** A row with the value in use, if its key is not set. */
  public Configuration.Row shown(Configuration.Row row) {
    String value = values.get(row.key());
    return value == null || !row.source().equals(Configuration.DEFAULT_ORIGIN)
        ? row
        : new Configuration.Row(row.key(), value, source);
  }
}
