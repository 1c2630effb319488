package dev.flyball.producer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * One configured source. Room for the REST trackers of a later change: each is one more record
 * here.
 */
public sealed interface SourceConfig {
  /** Tenant of items that name none. */
  String DEFAULT_TENANT = "default";

  /** Name of the source that {@code run ITEMS.jsonl} reads, whatever the file's name. */
  String DEFAULT_NAME = "items";

  /** How often a source is polled unless configured. */
  Duration DEFAULT_INTERVAL = Duration.ofMinutes(5);

  /** The tenant that owns it. */
  String tenant();

  /** Its name, unique within the tenant. */
  String name();

  /** From the end of one poll to the start of the next. */
  Duration interval();

  /** {@code tenant/source}: its key in poll-state and of its poll events. */
  default String key() {
    return tenant() + "/" + name();
  }

  /**
   * A file of work items, one JSON object a line.
   *
   * @param tenant whose items these are, where a line does not say so itself
   * @param name the source of items, where a line does not say so itself
   * @param path the file
   * @param interval at least {@link #FLOOR}
   */
  record Jsonl(String tenant, String name, Path path, Duration interval) implements SourceConfig {
    /** The shortest interval for a file. */
    public static final Duration FLOOR = Duration.ofSeconds(1);

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]+");

    public Jsonl {
      if (!NAME.matcher(tenant).matches() || !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "source '" + tenant + "/" + name + "': tenant and name must be [a-z0-9-]+");
      }
      if (interval.compareTo(FLOOR) < 0) {
        throw new IllegalArgumentException(
            "sources[" + name + "].interval " + interval + " is below the floor of 1s for jsonl");
      }
    }

    /** A file as {@code run} reads it. */
    public static Jsonl of(Path path) {
      return new Jsonl(DEFAULT_TENANT, DEFAULT_NAME, path, DEFAULT_INTERVAL);
    }
  }
}
