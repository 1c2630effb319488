package dev.flyball.producer;

import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Configuration of the producer.
 *
 * @param data folder of {@code producer.db} and {@code producer-id}; made if missing. The caller
 *     holds the lock on it
 * @param sources what is polled; keys are unique
 * @param clocks those of poll leases
 * @param breaker when polls of a failing tracker are paused
 * @param backlog {@code poll.backlog}: polls wait while more items than this wait for sessions or
 *     run
 * @param textLimit {@code text.limit}: most bytes of UTF-8 in an item's clean text
 * @param fingerprintFields which fields decide "changed"; some of {@link #FINGERPRINT_FIELDS}
 */
public record ProducerConfig(
    Path data,
    List<SourceConfig> sources,
    PollClocks clocks,
    BreakerLimits breaker,
    int backlog,
    int textLimit,
    List<String> fingerprintFields) {

  /** {@code poll.backlog} unless configured. */
  public static final int DEFAULT_BACKLOG = 10_000;

  /** {@code text.limit} unless configured. */
  public static final int DEFAULT_TEXT_LIMIT = 16 * 1024;

  /** Every field that a fingerprint may contain. */
  public static final Set<String> FINGERPRINT_FIELDS =
      Set.of("priority", "state", "tags", "text", "title", "type", "url");

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

  /** With the default backlog. */
  public ProducerConfig(
      Path data,
      List<SourceConfig> sources,
      PollClocks clocks,
      BreakerLimits breaker,
      int textLimit,
      List<String> fingerprintFields) {
    this(data, sources, clocks, breaker, DEFAULT_BACKLOG, textLimit, fingerprintFields);
  }

  /** These sources, with the default of everything else. */
  public static ProducerConfig defaults(Path data, List<SourceConfig> sources) {
    return new ProducerConfig(
        data,
        sources,
        PollClocks.DEFAULT,
        BreakerLimits.DEFAULT,
        DEFAULT_BACKLOG,
        DEFAULT_TEXT_LIMIT,
        DEFAULT_FINGERPRINT_FIELDS);
  }
}
