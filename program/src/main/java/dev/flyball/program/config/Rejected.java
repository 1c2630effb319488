package dev.flyball.program.config;

import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A value that does not fit others, with the keys that may be at fault. */
final class Rejected extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;
  private final transient List<String> keys;

  /** What is wrong with the value of a key. */
  Rejected(String key, String text) {
    this(List.of(key), text);
  }

  /** What is wrong with the values of these keys together. */
  Rejected(List<String> keys, String text) {
    super(text);
    this.keys = List.copyOf(keys);
  }

  /** Rejects for a key what a check of another module rejects. */
  static void unless(String key, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      throw new Rejected(key, String.valueOf(e.getMessage()));
    }
  }

  /**
   * The problem, at the first of the keys that is set.
   *
   * @param otherwise the place where none of them is
   */
  Problem problem(Map<String, Setting> settings, String otherwise) {
    Optional<String> set = keys.stream().filter(settings::containsKey).findFirst();
    String key = set.or(() -> keys.stream().findFirst()).orElse("");
    Setting setting = settings.get(key);
    return new Problem(
        setting == null ? otherwise : setting.origin(),
        key,
        DurationText.readable(String.valueOf(getMessage())));
  }
}
