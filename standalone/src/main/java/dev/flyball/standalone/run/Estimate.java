package dev.flyball.standalone.run;

import dev.flyball.standalone.config.AppConfigurations;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.config.Keys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a run may cost at most, before anything was looked at: what is known already and what triage
 * skips costs nothing.
 *
 * @param agent as configured
 * @param lines of the items file that are not blank; each is at most one item
 * @param sessionMicros most micro-dollars of a session, 0 for no limit
 * @param attempts most sessions of an item
 * @param daily most micro-dollars of a day, empty if nothing limits it
 */
public record Estimate(
    String agent, long lines, long sessionMicros, int attempts, Optional<Long> daily) {

  /** For a file of items. */
  public static Estimate of(Path items, Configuration configuration) {
    return new Estimate(
        new AppConfigurations(configuration).agent().toString(),
        lines(items),
        configuration.get(Keys.SESSION_BUDGET),
        configuration.get(Keys.ATTEMPTS),
        configuration.find(Keys.DAILY_BUDGET));
  }

  /** One line for a person who has to decide. */
  public String line() {
    if (sessionMicros == 0) {
      return lines
          + " lines, "
          + agent
          + " without a limit a session (sessions.budget.usd is 0): no most can be said"
          + held();
    }
    BigDecimal once = BigDecimal.valueOf(lines).multiply(BigDecimal.valueOf(sessionMicros));
    return lines
        + " lines, "
        + agent
        + " at up to $"
        + dollars(BigDecimal.valueOf(sessionMicros))
        + " a session (sessions.budget.usd): at most $"
        + dollars(within(once))
        + " if every item needs one session, $"
        + dollars(within(once.multiply(BigDecimal.valueOf(attempts))))
        + " if every one needs all "
        + attempts
        + " attempts"
        + held();
  }

  private String held() {
    return daily
        .map(limit -> "; budget.daily.usd holds it at $" + dollars(BigDecimal.valueOf(limit)))
        .orElse("");
  }

  private BigDecimal within(BigDecimal micros) {
    return daily.map(limit -> micros.min(BigDecimal.valueOf(limit))).orElse(micros);
  }

  private static String dollars(BigDecimal micros) {
    return micros.movePointLeft(6).setScale(2, RoundingMode.CEILING).toPlainString();
  }

  /** Bytes that are no UTF-8 count too: which lines are readable is found out later. */
  private static long lines(Path items) {
    try (var reader =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(items), StandardCharsets.UTF_8))) {
      return reader.lines().filter(line -> !line.isBlank()).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
