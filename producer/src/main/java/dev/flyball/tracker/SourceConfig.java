package dev.flyball.tracker;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.tracker.azure.AzureDevOpsSource;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.gitlab.GitLabSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraSource;
import dev.flyball.tracker.linear.LinearSource;
import dev.flyball.tracker.redmine.RedmineSource;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One configured source: what is polled, how often, and by which rules its items are read. Each
 * record is one kind of tracker: its keys, and what opens it.
 */
@ConfigKey(name = "type", required = true, meaning = "What kind of tracker it is")
public sealed interface SourceConfig {
  /** Tenant of items that name none. */
  String DEFAULT_TENANT = "default";

  /** Name of the source that {@code run ITEMS.jsonl} reads, whatever the file's name. */
  String DEFAULT_NAME = "items";

  /** How often a source is polled unless configured. */
  Duration DEFAULT_INTERVAL = Duration.ofMinutes(5);

  /** The name of a tenant or source. */
  String NAME = "[a-z0-9-]+";

  /** The shortest interval of a tracker, which is usually another organisation's machine. */
  Duration TRACKER_FLOOR = Duration.ofSeconds(30);

  /** A repository on GitHub, or all of an owner. */
  String GITHUB = "[A-Za-z0-9_.-]{1,100}/([A-Za-z0-9_.-]{1,100}|\\*)";

  /** Its tenant and name, and how often it is polled. */
  Identity identity();

  /** The rules by which its items are read. */
  SourceRules rules();

  /** The kind of tracker, as it is configured. */
  default String type() {
    return Objects.requireNonNull(getClass().getAnnotation(ConfigKey.class)).name();
  }

  /** What is read there, for people. */
  String place();

  /**
   * Opens it; sends no request yet.
   *
   * @param limits shared by all sources of a process
   * @throws IllegalArgumentException with what is wrong with the configuration, for example a query
   */
  Source open(InstantSource clock, TrackerLimits limits);

  /** By what its tracker knows us. */
  default Credential token() {
    return new Credential.None();
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
  record Identity(
      @ConfigKey(
              name = "tenant",
              matches = NAME,
              allowed = NAME,
              meaning = "Whose items these are; by default the key `tenant`")
          String tenant,
      @ConfigKey(
              name = "name",
              matches = NAME,
              allowed = "lower-case letters, digits and -",
              required = true,
              meaning = "Part of the item keys `tenant/name/id`")
          String name,
      @ConfigKey(
              name = "interval",
              initial = "5m",
              meaning =
                  "From the end of one poll to the start of the next; at least 30s, for jsonl 1s")
          Duration interval) {
    public Identity {
      if (!tenant.matches(NAME) || !name.matches(NAME)) {
        throw new IllegalArgumentException(
            "source '" + tenant + "/" + name + "': tenant and name must be [a-z0-9-]+");
      }
    }
  }

  /**
   * Azure DevOps.
   *
   * @param url of an organisation's project, or of a server's collection and project
   * @param token a personal access token with the right to read work items, or one of Entra ID
   */
  @ConfigKey(name = "azure-devops", meaning = "Azure DevOps")
  record AzureDevOps(
      Identity identity,
      SourceRules rules,
      @ConfigKey(name = "url", required = true, meaning = "`https://dev.azure.com/ORG/PROJECT`")
          URI url,
      @ConfigKey(
              name = "query",
              required = true,
              example = EXAMPLE,
              meaning = "WIQL with a WHERE; a condition on the change date is added to it")
          String query,
      @ConfigKey(name = "token", required = true, example = "ADO_TOKEN", meaning = "the token")
          Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return url.toString();
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new AzureDevOpsSource(this, clock, limits);
    }

    /** A query that reads every open item. */
    static final String EXAMPLE =
        "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'";
  }

  /** Issues of GitHub repositories. */
  @ConfigKey(name = "github", meaning = "Issues of GitHub repositories")
  record GitHub(
      Identity identity,
      SourceRules rules,
      @ConfigKey(
              name = "url",
              initial = "https://api.github.com",
              meaning = "The API; of an enterprise server `https://HOST/api/v3`")
          URI url,
      @ConfigKey(
              name = "repository",
              matches = GITHUB + "([, ]+" + GITHUB + ")*",
              allowed = "owner/name, for example apache/kafka; or owner/*; or several of them",
              required = true,
              meaning = "`owner/name`; `owner/*` for all of an owner; or several, with commas")
          String repository,
      @ConfigKey(name = "token", example = "GITHUB_TOKEN", meaning = "the token") Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return repository + " at " + url;
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return GitHubSource.of(this, clock, limits);
    }
  }

  /** Issues of one GitLab project. */
  @ConfigKey(name = "gitlab", meaning = "Issues of one GitLab project")
  record GitLab(
      Identity identity,
      SourceRules rules,
      @ConfigKey(name = "url", initial = "https://gitlab.com", meaning = "The server's start page")
          URI url,
      @ConfigKey(
              name = "project",
              matches = "[A-Za-z0-9_.-]{1,255}(/[A-Za-z0-9_.-]{1,255}){1,20}",
              allowed = "group/project, as in its address",
              required = true,
              meaning = "`group/project`, whose issues these are")
          String project,
      @ConfigKey(name = "token", example = "GITLAB_TOKEN", meaning = "the token") Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return project + " at " + url;
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new GitLabSource(this, clock, limits);
    }
  }

  /**
   * Jira.
   *
   * @param dataCenter whether it is a server or data center, with the interface of version 2
   */
  @ConfigKey(name = "jira", meaning = "Jira Cloud, or Data Center")
  record Jira(
      Identity identity,
      SourceRules rules,
      @ConfigKey(
              name = "url",
              required = true,
              meaning = "`https://SITE.atlassian.net`, or the server's start page")
          URI url,
      @ConfigKey(
              name = "edition",
              choices = {"cloud", "data-center"},
              initial = "cloud",
              meaning = "Which Jira it is; `data-center` for every Jira that is not Atlassian's")
          boolean dataCenter,
      @ConfigKey(
              name = "query",
              required = true,
              meaning = "Bounded JQL without ORDER BY, for example `project = SHOP`")
          String query,
      @ConfigKey(
              name = "user",
              meaning =
                  "The mail address of the account that the token belongs to; without it the token"
                      + " is sent as a bearer token")
          @Nullable String user,
      @ConfigKey(name = "token", required = true, example = "JIRA_TOKEN", meaning = "the token")
          Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return url.toString();
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new JiraSource(this, clock, limits);
    }
  }

  /**
   * Redmine.
   *
   * @param query parameters of its issue list; may be empty
   * @param token an API access key
   */
  @ConfigKey(name = "redmine", meaning = "Redmine")
  record Redmine(
      Identity identity,
      SourceRules rules,
      @ConfigKey(name = "url", required = true, meaning = "The address of its start page") URI url,
      @ConfigKey(
              name = "project",
              matches = "[A-Za-z0-9][A-Za-z0-9_-]{0,99}",
              allowed = "a project's identifier, as in its address",
              meaning = "The one project that is read; by default all that the token may see")
          @Nullable String project,
      @ConfigKey(
              name = "query",
              meaning = "Further filters of its issue list, for example `tracker_id=1`")
          String query,
      @ConfigKey(name = "token", required = true, example = "REDMINE_KEY", meaning = "the token")
          Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return url.toString();
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new RedmineSource(this, clock, limits);
    }
  }

  /** Issues of one Linear team. */
  @ConfigKey(name = "linear", meaning = "Issues of one Linear team")
  record Linear(
      Identity identity,
      SourceRules rules,
      @ConfigKey(name = "url", initial = "https://api.linear.app", meaning = "The API") URI url,
      @ConfigKey(
              name = "team",
              matches = "[A-Z0-9]{1,20}",
              allowed = "a team's key, for example ENG of ENG-12",
              required = true,
              meaning = "The key of the team whose issues these are, for example ENG")
          String team,
      @ConfigKey(name = "token", required = true, example = "LINEAR_KEY", meaning = "the token")
          Credential token)
      implements SourceConfig {
    @Override
    public String place() {
      return team + " at " + url;
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new LinearSource(this, clock, limits);
    }
  }

  /**
   * A file of work items, one JSON object a line, or a folder of such files.
   *
   * @param identity tenant and source of items whose line does not name them
   * @param path the file or folder
   */
  @ConfigKey(
      name = "jsonl",
      meaning =
          "A file of items, each a line of JSON, that another program writes; or a folder of such")
  record Jsonl(
      Identity identity,
      SourceRules rules,
      @ConfigKey(
              name = "path",
              required = true,
              example = "items.jsonl",
              meaning = "A file, or a folder of files")
          Path path)
      implements SourceConfig {
    @Override
    public String place() {
      return path.toString();
    }

    @Override
    public Source open(InstantSource clock, TrackerLimits limits) {
      return new JsonlSource(path, tenant(), name(), clock);
    }

    /** The shortest interval for a file. */
    public static final Duration FLOOR = Duration.ofSeconds(1);

    /** A file as {@code run} reads it. */
    public static Jsonl of(Path path) {
      return new Jsonl(
          new Identity(DEFAULT_TENANT, DEFAULT_NAME, DEFAULT_INTERVAL), SourceRules.DEFAULT, path);
    }
  }
}
