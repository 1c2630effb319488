package dev.flyball.program.config;

import dev.flyball.program.config.AgentEntries.ConfiguredAgent;
import dev.flyball.program.config.NotifyEntries.ConfiguredTarget;
import dev.flyball.program.config.RouteEntries.ConfiguredRoute;
import dev.flyball.program.config.TokenEntries.ConfiguredToken;

/** The page docs/configuration.md, generated from the keys so that it always matches them. */
public final class ConfigurationDocs {
  private static final String HEAD =
      """
      # Configuration

      Generated from the apps' configuration records; a test fails when it is stale. Values come from `flyball.yaml` in the current
      folder or `--config FILE` (relative paths in it count from its folder), then from environment variables, then from
      `--set key=value`; each wins over the one before. `./flyball config` prints every value and where it comes from.
      Unknown keys and bad values are refused with file, line and what is allowed: exit code 2.

      ```yaml
      tenant: acme
      cap: 3
      sources:
        - {name: backlog, type: jsonl, path: backlog.jsonl, interval: 10s}
        - {name: web, type: github, repository: org/repo, token-env: GITHUB_TOKEN, repo: /src/web, branch: main}
      sessions: {agent: scout, repo: /src/product, wall-clock: 10m}
      ```

      Editors with the YAML language server complete and check the file if its first line names [the schema](flyball.schema.json);
      for a file in the root of a clone: `# yaml-language-server: $schema=docs/flyball.schema.json`
      (`./flyball init` writes it there).

      Durations are whole numbers with a unit: `500ms`, `2s`, `10m`, `1h`, `7d`. Sizes: `16KiB`, `64MB` (KB and KiB both
      mean 1024). Lists: `[A, B]`; outside the file also `A,B`.

      """;

  private static final String SOURCES =
      """

      ## Sources
      `sources` is a list; `--set` and `FLYBALL_SOURCES` take it as one line of YAML and replace the whole list:
      `--set 'sources=[{name: backlog, type: jsonl, path: backlog.jsonl}]'`. Every source has these keys:

      | key of a source | default | allowed | meaning |
      |---|---|---|---|
      """;

  private static final String TYPES =
      """

      Tokens come from the environment of the producer, from a file's first line (read again for each request) or from a command; a token
      in this file is rejected. `docs/trackers` says how to get one with the least rights. Each type has further keys:

      | type | key | default | allowed | meaning |
      |---|---|---|---|---|
      """;

  private static final String AGENTS =
      """

      ## Agents
      `agents` is a list of profiles: agents under a name by which requests ask for them. [Agents](agents.md) says what they are good for.
      The keys `sessions.agent`, `sessions.model` and the other `sessions.*` make the profile `default`, which serves every
      request that asks for no other. `--set` and `FLYBALL_AGENTS` take the list as one line of YAML.

      | key of a profile | default | allowed | meaning |
      |---|---|---|---|
      """;

  private static final String ROUTES =
      """

      ## Routes
      `routes` is a list of rules that choose a profile for each request, by what triage and the tracker say about the item. The first
      rule whose conditions all hold applies; without one, the profile `default`. `--set` and `FLYBALL_ROUTES` take the list as one line
      of YAML.

      | key of a route | default | allowed | meaning |
      |---|---|---|---|
      """;

  private static final String NOTIFY =
      """

      ## Notifications
      `notify` is a list of targets; [Notifications](notifications.md) has an example of each type. `--set` and `FLYBALL_NOTIFY` take
      the list as one line of YAML.

      | key of a target | default | allowed | meaning |
      |---|---|---|---|
      """;

  private static final String TOKENS =
      """

      ## Tokens of the console
      `console.tokens` is a list of the users and programs that may ask the console; [Access to the console](console-access.md) explains
      it. `--set` and `FLYBALL_CONSOLE_TOKENS` take the list as one line of YAML.

      | key of a token | default | allowed | meaning |
      |---|---|---|---|
      """;

  private static final String TAIL =
      """

      ## Kafka
      Everything after `kafka.` is one Kafka client property, dots and all: `kafka: {bootstrap.servers: "broker:9092",
      security.protocol: SSL}`. `kafka.<role>.x` overrides it for the role producer, triage, runner or console, or for the commands
      (`operator`). As a variable: `FLYBALL_KAFKA_BOOTSTRAP_SERVERS`. `-file` after a secret property, `_FILE` after its variable, names
      a file with the value ([A Kafka of your own](your-own-kafka.md#client-properties)). `up` and `run` embed a broker unless `kafka.bootstrap.servers` is set (`run` always
      embeds its own).

      ## What the launcher reads
      | variable | meaning |
      |---|---|
      | `FLYBALL_JAVA_HOME` | the JDK 25 or newer to use, before `JAVA_HOME` and whatever else is found |
      | `FLYBALL_JAVA_OPTS` | further JVM options, for example `-Xmx1g` |
      """;

  private ConfigurationDocs() {}

  /** The whole page. */
  public static String markdown() {
    var page = new StringBuilder(HEAD);
    page.append("| key | default | variable | allowed | meaning |\n|---|---|---|---|---|\n");
    for (Key<?> key : Keys.all()) {
      page.append(row(key, " | `" + key.variable() + "`"));
    }
    page.append(SOURCES);
    SourceType.COMMON.forEach(key -> page.append(row(key, "")));
    page.append(TYPES);
    for (SourceType type : SourceType.ALL) {
      page.append("| `").append(type.label()).append("` | | | | ");
      page.append(type.meaning()).append(" |\n");
      type.own().forEach(key -> page.append("| ").append(row(key, "")));
    }
    page.append(AGENTS);
    ListEntry.keys(ConfiguredAgent.class).forEach(key -> page.append(row(key, "")));
    page.append(ROUTES);
    ListEntry.keys(ConfiguredRoute.class).forEach(key -> page.append(row(key, "")));
    page.append(NOTIFY);
    ListEntry.keys(ConfiguredTarget.class).forEach(key -> page.append(row(key, "")));
    page.append(TOKENS);
    ListEntry.keys(ConfiguredToken.class).forEach(key -> page.append(row(key, "")));
    return page.append(TAIL).toString();
  }

  private static String row(Key<?> key, String variable) {
    String initial = key.initial() == null || key.initial().isEmpty() ? "" : key.initial();
    String shown = initial.isEmpty() ? "" : "`" + initial + "`";
    return "| `"
        + key.name()
        + "` | "
        + (key.required() ? "(required)" : shown)
        + variable
        + " | "
        + key.type().allowed()
        + " | "
        + key.meaning()
        + " |\n";
  }
}
