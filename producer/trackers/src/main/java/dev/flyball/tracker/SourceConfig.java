package dev.flyball.tracker;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One configured source: what is polled, how often, and by which rules its items are read. */
public sealed interface SourceConfig {
  /** Tenant of items that name none. */
  String DEFAULT_TENANT = "default";

  /** Name of the source that {@code run ITEMS.jsonl} reads, whatever the file's name. */
  String DEFAULT_NAME = "items";

  /** How often a source is polled unless configured. */
  Duration DEFAULT_INTERVAL = Duration.ofMinutes(5);

  /** The shortest interval of a tracker, which is usually another organisation's machine. */
  Duration TRACKER_FLOOR = Duration.ofSeconds(30);

  /** Its tenant and name, and how often it is polled. */
  Identity identity();

  /** The rules by which its items are read. */
  SourceRules rules();

  /**
   * The shortest interval that a configuration may name. Not enforced here: our own tests poll
   * their own tracker faster.
   */
  default Duration floor() {
    return TRACKER_FLOOR;
  }

  /** The tenant that owns it. */
  default String tenant() {
    return identity().tenant();
  }

  /** Its name, unique within the tenant. */
  default String name() {
    return identity().name();
  }

  /** From the end of one poll to the start of the next. */
  default Duration interval() {
    return identity().interval();
  }

  /** {@code tenant/source}: its key in poll-state and of its poll events. */
  default String key() {
    return tenant() + "/" + name();
  }

  /**
   * The tenant and name of a source, and how often it is polled.
   *
   * @param tenant {@code [a-z0-9-]+}
   * @param name {@code [a-z0-9-]+}, unique within the tenant
   * @param interval from the end of one poll to the start of the next
   */
  record Identity(String tenant, String name, Duration interval) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]+");

    public Identity {
      if (!NAME.matcher(tenant).matches() || !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "source '" + tenant + "/" + name + "': tenant and name must be [a-z0-9-]+");
      }
    }

    private Identity atLeast(Duration floor, String type) {
      if (interval.compareTo(floor) < 0) {
        throw new IllegalArgumentException(
            "sources["
                + name
                + "].interval "
                + interval
                + " is below the floor of "
                + floor
                + " for "
                + type);
      }
      return this;
    }
  }

  /**
   * A file of work items, one JSON object a line, or a folder of such files.
   *
   * @param identity tenant and source of items whose line does not name them
   * @param path the file or folder
   */
  record Jsonl(Identity identity, SourceRules rules, Path path) implements SourceConfig {
    /** The shortest interval for a file. */
    public static final Duration FLOOR = Duration.ofSeconds(1);

    public Jsonl {
      identity = identity.atLeast(FLOOR, "jsonl");
    }

    @Override
    public Duration floor() {
      return FLOOR;
    }

    /** A file as {@code run} reads it. */
    public static Jsonl of(Path path) {
      return new Jsonl(
          new Identity(DEFAULT_TENANT, DEFAULT_NAME, DEFAULT_INTERVAL), SourceRules.DEFAULT, path);
    }
  }

  /**
   * Azure DevOps by REST.
   *
   * @param url {@code https://dev.azure.com/ORG/PROJECT}, or a server's collection and project
   * @param query WIQL with a WHERE clause; a condition on the change date is added to it
   * @param token a personal access token with the right to read work items
   */
  record AzureDevOps(Identity identity, SourceRules rules, URI url, String query, Credential token)
      implements SourceConfig {}

  /**
   * Azure DevOps by {@code az boards query}, for users who can log in but have no token.
   *
   * @param url the organisation, {@code https://dev.azure.com/ORG}; null for az's own default
   * @param query WIQL with a WHERE clause; a condition on the change date is added to it
   * @param program the az program, {@code az} of the path unless configured
   * @param timeout longest run of one call; all its child processes end with it
   */
  record AzureDevOpsCli(
      Identity identity,
      SourceRules rules,
      @Nullable URI url,
      String query,
      String program,
      Duration timeout)
      implements SourceConfig {
    /** {@code subprocess.timeout} unless configured. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public AzureDevOpsCli {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("subprocess.timeout must be positive");
      }
    }

    /** With the default timeout of a call. */
    public AzureDevOpsCli(
        Identity identity, SourceRules rules, @Nullable URI url, String query, String program) {
      this(identity, rules, url, query, program, DEFAULT_TIMEOUT);
    }
  }

  /**
   * Issues of one GitHub repository.
   *
   * @param url the API, {@code https://api.github.com} unless it is an enterprise server
   * @param repository {@code owner/name}
   */
  record GitHub(Identity identity, SourceRules rules, URI url, String repository, Credential token)
      implements SourceConfig {}

  /**
   * Jira Cloud.
   *
   * @param url the site, {@code https://SITE.atlassian.net}
   * @param query bounded JQL without ORDER BY; a condition on the change date is added to it
   * @param user the account's mail address that the token belongs to; null where the token is a
   *     bearer token
   */
  record Jira(
      Identity identity,
      SourceRules rules,
      URI url,
      String query,
      @Nullable String user,
      Credential token)
      implements SourceConfig {}

  /**
   * Redmine.
   *
   * @param url its root
   * @param project identifier of the one project that is read; null for all projects that the key
   *     can see
   * @param query further parameters of its issue list, for example {@code tracker_id=1}; may be
   *     empty
   * @param token an API access key
   */
  record Redmine(
      Identity identity,
      SourceRules rules,
      URI url,
      @Nullable String project,
      String query,
      Credential token)
      implements SourceConfig {}
}
