package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.tracker.Credential;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values that unset keys get from other keys. {@code config} shows them, because an empty row
 * would hide which model is paid for.
 */
public final class DependentDefaults {
  private final Map<String, Configuration.Row> rows = new HashMap<>();

  /** The values that follow from this configuration. */
  public DependentDefaults(AppConfigurations apps) {
    AgentProgram agent = apps.agent();
    String name = agent.name();
    put(Keys.MODEL, agent.facts().sessionModel(), name);
    switch (apps.classifier()) {
      case ConfiguredClassifier.Rules rules -> put(Keys.CLASSIFIER, "rules", name);
      case ConfiguredClassifier.ByAgent by -> {
        put(Keys.CLASSIFIER, "agent", name);
        put(Keys.TRIAGE_AGENT, by.agent().name(), name);
        put(Keys.TRIAGE_MODEL, by.agent().model(), name);
      }
      case ConfiguredClassifier.ByMessages by -> {
        put(Keys.TRIAGE_URL, by.endpoint().url().toString(), "messages");
        if (by.endpoint().token() instanceof Credential.Environment token) {
          put(Keys.TRIAGE_TOKEN_ENV, token.variable(), "messages");
        }
      }
    }
    apps.agents()
        .dailyBudget()
        .ifPresent(micros ->
            put(
                Keys.DAILY_BUDGET,
                BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString(),
                name));
  }

  /** A value that follows from something that is configured. */
  private void put(Key<?> key, @Nullable String value, String cause) {
    if (value != null) {
      rows.put(key.name(), new Configuration.Row(key.name(), value, "default for " + cause));
    }
  }

  /** A row with the value in use, if its key is not set. */
  public Configuration.Row shown(Configuration.Row row) {
    return row.source().equals(Configuration.DEFAULT_ORIGIN)
        ? rows.getOrDefault(row.key(), row)
        : row;
  }
}
