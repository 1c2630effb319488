package dev.flyball.producer;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the producer.
 *
 * @param data folder of {@code producer.db} and {@code producer-id}; made if missing. The caller
 *     holds the lock on it
 * @param sources what is polled; keys are unique
 * @param clocks those of poll leases
 * @param breaker when polls of a failing tracker are paused
 */
public record ProducerConfig(
    Path data,
    List<SourceConfig> sources,
    PollClocks clocks,
    Breaker.Limits breaker,
    @ConfigKey(
            name = "poll.backlog",
            from = 1,
            to = 10_000_000,
            meaning =
                "Above so many items that wait for sessions or run, polls wait; below 90 %"
                    + " of it they go on (no effect on run). Above it each tenant has an equal"
                    + " share, at least 1000, and polls of a source within its part of that"
                    + " share never wait")
        int backlog,
    @ConfigKey(
            name = "text.limit",
            unit = ConfigKey.Unit.BYTES,
            meaning = "Most bytes of an item's clean text, 256B to 256KiB")
        int textLimit,
    @ConfigKey(
            name = "fingerprint.fields",
            choices = {"comments", "priority", "state", "tags", "text", "title", "type", "url"},
            meaning = "Fields that decide whether an item changed")
        List<String> fingerprintFields) {

  /** {@code poll.backlog} unless configured. */
  public static final int DEFAULT_BACKLOG = 10_000;

  /** {@code text.limit} unless configured. */
  public static final int DEFAULT_TEXT_LIMIT = 16 * 1024;

  /** Every field that a fingerprint may contain. */
  public static final Set<String> FINGERPRINT_FIELDS =
      Set.of("comments", "priority", "state", "tags", "text", "title", "type", "url");

  /**
   * The fields that decide "changed" unless configured. State, tags and priority are not among
   * them: an analysis of the same text would read the same, and boards and bots change them all
   * day.
   */
  public static final List<String> DEFAULT_FINGERPRINT_FIELDS = List.of("text", "title", "type");

  public ProducerConfig {
    sources = List.copyOf(sources);
    fingerprintFields = List.copyOf(new TreeSet<>(fingerprintFields));
    if (backlog < 1) {
      throw new IllegalArgumentException("poll.backlog " + backlog + " must be above 0");
    }
    if (textLimit < 256 || textLimit > 256 * 1024) {
      throw new IllegalArgumentException(
          "text.limit " + textLimit + " must be 256 to 262144 bytes");
    }
    if (fingerprintFields.isEmpty() || !FINGERPRINT_FIELDS.containsAll(fingerprintFields)) {
      throw new IllegalArgumentException(
          "fingerprint fields "
              + fingerprintFields
              + " must be some of "
              + new TreeSet<>(FINGERPRINT_FIELDS));
    }
    var keys = new HashSet<String>();
    for (SourceConfig source : sources) {
      if (!keys.add(source.key())) {
        throw new IllegalArgumentException("source '" + source.key() + "' is configured twice");
      }
    }
  }

  /** The breaker's limits of a source; null for a file, which may always be read. */
  Breaker.@Nullable Limits breakerOf(SourceConfig source) {
    return source instanceof SourceConfig.Jsonl ? null : breaker;
  }

  /** These sources, with the default of everything else. */
  public static ProducerConfig defaults(Path data, List<SourceConfig> sources) {
    return new ProducerConfig(
        data,
        sources,
        PollClocks.DEFAULT,
        Breaker.Limits.DEFAULT,
        DEFAULT_BACKLOG,
        DEFAULT_TEXT_LIMIT,
        DEFAULT_FINGERPRINT_FIELDS);
  }
}
