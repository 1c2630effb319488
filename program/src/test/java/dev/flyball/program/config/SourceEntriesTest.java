package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import dev.flyball.producer.ProducerConfig;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.runner.repository.RepositoryToken;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.Identity;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entries of `sources`: every type with all its keys, and what is refused. */
final class SourceEntriesTest {
  private static final Duration USUAL = SourceConfig.DEFAULT_INTERVAL;

  /** The rules of a tracker unless configured. */
  private static final SourceRules FROM_NOW =
      new SourceRules(
          List.of(),
          Set.of(),
          false,
          SourceRules.DEFAULT_REVISIT,
          new WriteBack.Off(),
          new OptIn(new OptIn.Start.Now(), List.of(), null, null));

  @TempDir Path folder;

  @Test
  void aSourceOfEachTypeNeedsNoMoreThanItsPlaceAndItsToken() {
    assertThat(
            sources(
                """
                tenant: acme
                sources:
                  - {name: a, type: azure-devops, url: "https://dev.azure.com/org/shop", query: "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'", token-env: ADO_TOKEN}
                  - {name: c, type: github, repository: org/repo}
                  - {name: d, type: jira, url: "https://shop.atlassian.net/", query: project = SHOP, token-file: jira.token}
                  - {name: e, type: redmine, url: "https://redmine.example/tracker", token-env: REDMINE_KEY}
                  - {name: f, type: jsonl, path: backlog.jsonl}
                """))
        .containsExactly(
            new SourceConfig.AzureDevOps(
                identity("a"),
                FROM_NOW,
                URI.create("https://dev.azure.com/org/shop"),
                "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'",
                new Credential.Environment("ADO_TOKEN")),
            new SourceConfig.GitHub(
                identity("c"),
                FROM_NOW,
                URI.create("https://api.github.com"),
                "org/repo",
                new Credential.None()),
            new SourceConfig.Jira(
                identity("d"),
                FROM_NOW,
                URI.create("https://shop.atlassian.net"),
                false,
                "project = SHOP",
                null,
                new Credential.InFile(folder.resolve("jira.token"))),
            new SourceConfig.Redmine(
                identity("e"),
                FROM_NOW,
                URI.create("https://redmine.example/tracker"),
                null,
                "",
                new Credential.Environment("REDMINE_KEY")),
            new SourceConfig.Jsonl(
                identity("f"), SourceRules.DEFAULT, folder.resolve("backlog.jsonl")));
  }

  @Test
  @DisplayName("every optional key is taken up, and this machine itself may be asked by http")
  void everyOptionalKeyOfATypeIsTakenUp() {
    assertThat(
            sources(
                """
                sources:
                  - {name: b, type: azure-devops, url: "https://dev.azure.com/org/shop", query: "SELECT [System.Id] FROM WorkItems WHERE [System.Id] > 0", token-command: vault read -field=pat ado}
                  - {name: c, type: github, url: "http://127.0.0.1:8080/api/v3", repository: org/repo, token-env: T, interval: 30s}
                  - {name: d, type: jira, url: "http://localhost:3000", query: project = SHOP, user: bot@shop.example, token-env: T}
                  - {name: e, type: redmine, url: "http://[::1]:3000/redmine", project: web-shop, query: tracker_id=1, token-env: T}
                  - {name: f, type: jsonl, path: /tmp/other.jsonl, tenant: rival, interval: 10s}
                """))
        .extracting(SourceConfig::toString)
        .satisfiesExactly(
            b ->
                assertThat(b)
                    .contains("https://dev.azure.com/org/shop", "line=vault read -field=pat ado"),
            c -> assertThat(c).contains("http://127.0.0.1:8080/api/v3", "variable=T", "PT30S"),
            d -> assertThat(d).contains("http://localhost:3000", "user=bot@shop.example"),
            e ->
                assertThat(e)
                    .contains(
                        "http://[::1]:3000/redmine", "project=web-shop", "query=tracker_id=1"),
            f -> assertThat(f).contains("tenant=rival", "PT10S", "path=/tmp/other.jsonl"));
  }

  @Test
  @DisplayName("the rules of a source are its own")
  void theRulesOfASourceAreItsOwn() {
    SourceConfig one =
        sources(
                """
                sources:
                  - name: shop
                    type: redmine
                    url: https://redmine.example
                    token-env: T
                    fingerprint: [title, text]
                    closed-states: [Parked, "On hold"]
                    unassigned: closed
                    revisit: 5m
                    write-back: comment
                    start: 2026-11-01
                    when: {labels: [agent, "needs analysis"], assignee: bob, mention: "@flyball"}
                """)
            .getFirst();

    assertThat(one.rules())
        .isEqualTo(
            new SourceRules(
                List.of("text", "title"),
                Set.of("parked", "on hold"),
                true,
                Duration.ofMinutes(5),
                new WriteBack.Comment(false),
                new OptIn(
                    new OptIn.Start.At(Instant.parse("2026-11-01T00:00:00Z")),
                    List.of("agent", "needs analysis"),
                    "bob",
                    "@flyball")));
  }

  @Test
  void theStartIsNowOrAllOrATime() {
    assertThat(
            sources(
                """
                sources:
                  - {name: a, type: jsonl, path: x, start: now}
                  - {name: b, type: github, repository: o/r, start: all}
                  - {name: c, type: github, repository: o/r, start: "2026-11-01T08:00:00+01:00"}
                """))
        .extracting(source -> source.rules().optIn().start())
        .containsExactly(
            new OptIn.Start.Now(),
            new OptIn.Start.All(),
            new OptIn.Start.At(Instant.parse("2026-11-01T07:00:00Z")));
  }

  @Test
  void anAnalysisMayGoToAWebhook() {
    SourceConfig one =
        sources(
                """
                sources:
                  - {name: a, type: jsonl, path: x, write-back: webhook, webhook-url: "https://hooks.example/a?b=c", webhook-token-file: hook.token, webhook-secret-env: HOOK_SECRET}
                """)
            .getFirst();

    assertThat(one.rules().writeBack())
        .isEqualTo(
            new WriteBack.Webhook(
                URI.create("https://hooks.example/a?b=c"),
                new Credential.InFile(folder.resolve("hook.token")),
                new Credential.Environment("HOOK_SECRET")));
  }

  @Test
  @DisplayName(
      "a source's repository may be a folder, or a URL with a token; others use sessions.repo's")
  void aSourceMayNameARepositoryByUrl() {
    Repositories all =
        load("""
        sessions: {repo: "ssh://git@example.org/a", repo-token-file: secret}
        sources:
          - {name: a, type: jsonl, path: x, repo: "https://example.org/b", repo-token-env: B}
          - {name: b, type: jsonl, path: x, branch: release/1.2}
          - {name: c, type: jsonl, path: x, repo: ../product}
        """)
            .runner("r")
            .agents()
            .repositories();

    var usual = new RepositoryAddress.Url("ssh://git@example.org/a");
    var secret = new RepositoryToken(null, folder.resolve("secret"));
    assertThat(all.usual()).isEqualTo(new Repositories.OfSource(usual, Optional.empty(), secret));
    assertThat(all.bySource())
        .containsOnly(
            entry(
                "default/a",
                new Repositories.OfSource(
                    new RepositoryAddress.Url("https://example.org/b"),
                    Optional.empty(),
                    new RepositoryToken("B", null))),
            entry(
                "default/b", new Repositories.OfSource(usual, Optional.of("release/1.2"), secret)),
            entry(
                "default/c",
                new Repositories.OfSource(
                    new RepositoryAddress.Folder(folder.resolveSibling("product")),
                    Optional.empty(),
                    RepositoryToken.NONE)));
  }

  // S4-3
  @Test
  void everythingThatIsWrongIsNamedAtOnceWithItsLineAndWhatIsAllowed() {
    assertThat(
            refused(
                """
                sources:
                  - {name: a, path: x}
                  - {type: jsonl, path: x}
                  - {name: D, type: jsonl, path: x}
                  - {name: i, type: github, repository: repo, nonsense: 1}
                  - {name: k, type: jsonl, path: x}
                  - {name: k, type: jsonl, path: y}
                  - name: o
                    type: azure-devops
                    url: https://dev.azure.com/org/shop
                    query: project = SHOP
                    token-env: T
                """))
        .satisfiesExactly(
            at(2, "type", "azure-devops"),
            at(3, "name"),
            at(4, "name", "'D'", "lower-case letters"),
            at(5, "repository", "'repo'", "owner/name"),
            at(5, "'nonsense'", "github", "type, name, "),
            at(7, "default/k", file() + ":6"),
            at(11, "query: "));
  }

  // S4-3
  @Test
  void theConfigurationShowsEverySourceAndNoSecret() {
    Configuration loaded =
        configuration(
            """
            sources:
              - {name: a, type: redmine, url: "https://r.example", token-env: REDMINE_KEY, write-back: webhook, webhook-url: "https://hooks.example/services/hunter2"}
            """);

    Stream<String> rows =
        loaded.rows().stream()
            .filter(row -> row.key().startsWith("sources[0]."))
            .map(row -> row.key() + "=" + row.value() + " " + row.source());
    assertThat(rows)
        .contains(
            "sources[0].name=a " + file() + ":2",
            "sources[0].token-env=REDMINE_KEY " + file() + ":2",
            "sources[0].interval=5m default",
            "sources[0].webhook-url=https://hooks.example/(hidden) " + file() + ":2")
        .noneMatch(row -> row.contains("hunter2"));
  }

  @Test
  void everyFieldOfAFingerprintMayBeNamedAndNoOther() {
    String fields =
        "some of " + String.join(", ", new TreeSet<>(ProducerConfig.FINGERPRINT_FIELDS));

    assertThat(Keys.named("fingerprint.fields").orElseThrow().type().allowed()).isEqualTo(fields);
    assertThat(EntryList.SOURCES.keys(ConfigurationSchema.ofType("jsonl")))
        .filteredOn(key -> key.name().equals("fingerprint"))
        .extracting(key -> key.type().allowed())
        .containsExactly(fields);
  }

  @Test
  void everyDefaultOfASourcesKeyIsAcceptedByItsType() {
    for (String type : Section.choices(SourceConfig.class).keySet()) {
      for (Key<?> key : EntryList.SOURCES.keys(ConfigurationSchema.ofType(type))) {
        assertThat(key.value(null).isPresent()).as(key.name()).isEqualTo(key.initial() != null);
      }
    }
  }

  /** A problem at this line that names these keys, values and choices. */
  private static Consumer<String> at(int line, String... named) {
    return problem -> assertThat(problem).contains(":" + line + ": ").contains(named);
  }

  private static Identity identity(String name) {
    return new Identity("acme", name, USUAL);
  }

  private List<SourceConfig> sources(String yaml) {
    return load(yaml).producer().sources();
  }

  private List<String> refused(String yaml) {
    AppConfigurations apps = load(yaml);
    return catchThrowableOfType(ConfigurationError.class, apps::producer).lines();
  }

  private AppConfigurations load(String yaml) {
    return new AppConfigurations(configuration(yaml));
  }

  private Configuration configuration(String yaml) {
    return ConfigurationLoader.of(yaml, file());
  }

  private Path file() {
    return folder.resolve("flyball.yaml");
  }
}
