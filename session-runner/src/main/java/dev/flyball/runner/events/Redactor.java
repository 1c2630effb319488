package dev.flyball.runner.events;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes secrets out of agent output before it leaves the runner: the values of the variables that
 * agents inherit, and what looks like a token. A net, not a promise: an agent that encodes a secret
 * gets it through.
 */
public final class Redactor {
  private static final String MARK = "[redacted]";

  /**
   * Shorter values (a flag, a number) would redact half of the output and are no secrets worth it.
   */
  private static final int SHORTEST = 8;

  private static final Pattern TOKENS =
      Pattern.compile(
          String.join(
              "|",
              "sk-[A-Za-z0-9_-]{16,}",
              "gh[pousr]_[A-Za-z0-9]{20,}",
              "github_pat_[A-Za-z0-9_]{20,}",
              "xox[abpr]-[A-Za-z0-9-]{10,}",
              "AKIA[0-9A-Z]{16}",
              "AIza[0-9A-Za-z_-]{35}",
              "eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]+",
              "(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*",
              "(?<=://)[^/\\s:@]{1,64}:[^/\\s@]{1,256}(?=@)",
              "-----BEGIN [A-Z ]*PRIVATE KEY-----"));

  private final List<String> values;

  /** With the values that must never be seen, for example those of configured token variables. */
  public Redactor(Collection<String> secrets) {
    this.values =
        secrets.stream()
            .filter(value -> value.length() >= SHORTEST)
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /** The text without them. */
  public String redact(String text) {
    String out = text;
    for (String value : values) {
      out = out.replace(value, MARK);
    }
    return TOKENS.matcher(out).replaceAll(MARK);
  }
}
