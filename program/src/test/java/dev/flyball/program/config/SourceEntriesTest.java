package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.Identity;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The entries of `sources`: every type with all its keys, and what is refused. */
final class SourceEntriesTest {
  private static final Duration USUAL = SourceConfig.DEFAULT_INTERVAL;

  @TempDir Path folder;

  @Test
  void aTrackersProgramRunsNoLongerThanIsConfigured() {
    assertThat(
            sources(
                """
                subprocess.timeout: 90s
                sources:
                  - {name: b, type: azure-devops-cli, query: "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'"}
                """))
        .singleElement()
        .isInstanceOfSatisfying(
            SourceConfig.AzureDevOpsCli.class,
            az -> assertThat(az.timeout()).isEqualTo(Duration.ofSeconds(90)));
  }

  @Test
  void aSourceOfEachTypeNeedsNoMoreThanItsPlaceAndItsToken() {
    assertThat(
            sources(
                """
                tenant: acme
                sources:
                  - {name: a, type: azure-devops, url: "https://dev.azure.com/org/shop", query: "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'", token-env: ADO_TOKEN}
                  - {name: b, type: azure-devops-cli, query: "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'"}
                  - {name: c, type: github, repository: org/repo}
                  - {name: d, type: jira, url: "https://shop.atlassian.net/", query: project = SHOP, token-file: jira.token}
                  - {name: e, type: redmine, url: "https://redmine.example/tracker", token-env: REDMINE_KEY}
                  - {name: f, type: jsonl, path: backlog.jsonl}
                """))
        .containsExactly(
            new SourceConfig.AzureDevOps(
                identity("a"),
                SourceRules.DEFAULT,
                URI.create("https://dev.azure.com/org/shop"),
                "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'",
                new Credential.Environment("ADO_TOKEN")),
            new SourceConfig.AzureDevOpsCli(
                identity("b"),
                SourceRules.DEFAULT,
                null,
                "SELECT [System.Id] FROM WorkItems WHERE [System.State] <> 'Closed'",
                "az"),
            new SourceConfig.GitHub(
                identity("c"),
                SourceRules.DEFAULT,
                URI.create("https://api.github.com"),
                "org/repo",
                new Credential.None()),
            new SourceConfig.Jira(
                identity("d"),
                SourceRules.DEFAULT,
                URI.create("https://shop.atlassian.net"),
                "project = SHOP",
                null,
                new Credential.InFile(folder.resolve("jira.token"))),
            new SourceConfig.Redmine(
                identity("e"),
                SourceRules.DEFAULT,
                URI.create("https://redmine.example/tracker"),
                null,
                "",
                new Credential.Environment("REDMINE_KEY")),
            new SourceConfig.Jsonl(
                identity("f"), SourceRules.DEFAULT, folder.resolve("backlog.jsonl")));
  }

  @Test
  void everyOptionalKeyOfATypeIsTakenUp() {
    assertThat(
            sources(
                """
                sources:
                  - {name: b, type: azure-devops-cli, url: "https://dev.azure.com/org", query: "SELECT [System.Id] FROM WorkItems WHERE [System.Id] > 0", program: tools/az}
                  - {name: c, type: github, url: "http://127.0.0.1:8080/api/v3", repository: org/repo, token-env: T, interval: 30s}
                  - {name: d, type: jira, url: "https://shop.atlassian.net", query: project = SHOP, user: bot@shop.example, token-env: T}
                  - {name: e, type: redmine, url: "https://redmine.example", project: web-shop, query: tracker_id=1, token-env: T}
                  - {name: f, type: jsonl, path: /tmp/other.jsonl, tenant: rival, interval: 10s}
                """))
        .extracting(SourceConfig::toString)
        .satisfiesExactly(
            b -> assertThat(b).contains("https://dev.azure.com/org", folder + "/tools/az"),
            c -> assertThat(c).contains("http://127.0.0.1:8080/api/v3", "variable=T", "PT30S"),
            d -> assertThat(d).contains("user=bot@shop.example"),
            e -> assertThat(e).contains("project=web-shop", "query=tracker_id=1"),
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
                    me: flyball
                    revisit: 5m
                    write-back: comment
                """)
            .getFirst();

    assertThat(one.rules())
        .isEqualTo(
            new SourceRules(
                List.of("text", "title"),
                Set.of("parked", "on hold"),
                true,
                "flyball",
                Duration.ofMinutes(5),
                new WriteBack.Comment()));
  }

  @Test
  void anAnalysisMayGoToAWebhook() {
    SourceConfig one =
        sources(
                """
                sources:
                  - {name: a, type: jsonl, path: x, write-back: webhook, webhook-url: "https://hooks.example/a?b=c", webhook-token-file: hook.token}
                """)
            .getFirst();

    assertThat(one.rules().writeBack())
        .isEqualTo(
            new WriteBack.Webhook(
                URI.create("https://hooks.example/a?b=c"),
                new Credential.InFile(folder.resolve("hook.token"))));
  }

  @Test
  void aSourceMayNameTheRepositoryAndBranchOfItsSessions() {
    List<ConfiguredSource> all =
        load("""
        sources:
          - {name: a, type: jsonl, path: x, repo: ../product, branch: release/1.2}
          - {name: b, type: jsonl, path: x}
        """)
            .sources();

    assertThat(all.get(0).repository()).contains(folder.resolveSibling("product"));
    assertThat(all.get(0).branch()).contains("release/1.2");
    assertThat(all.get(1).repository()).isEmpty();
    assertThat(all.get(1).branch()).isEmpty();
  }

  // S4-3
  @Test
  void everythingThatIsWrongIsNamedAtOnceWithItsLineAndWhatIsAllowed() {
    assertThat(
            refused(
                """
                sources:
                  - {name: a, path: x}
                  - {name: b, type: jirra, path: x}
                  - {name: c, type: jsonl}
                  - {type: jsonl, path: x}
                  - {name: d, type: jsonl, path: x, pth: y}
                  - {name: D, type: jsonl, path: x}
                  - {name: e, type: jsonl, path: x, interval: 5}
                  - {name: f, type: jsonl, path: x, interval: 10ms}
                  - {name: g, type: redmine, url: "https://r.example", interval: 10s, token-env: T}
                  - {name: h, type: jira, user: me, token-env: T}
                  - {name: i, type: github, repository: repo, nonsense: 1}
                  - {name: j, type: redmine, url: "https://r.example", fingerprint: [titel], unassigned: never, revisit: 1s}
                  - {name: k, type: jsonl, path: x}
                  - {name: k, type: jsonl, path: y}
                """))
        .satisfiesExactly(
            at(2, "a source needs a type, one of azure-devops, azure-devops-cli, github, jira"),
            at(3, "type 'jirra' is not one of azure-devops, "),
            at(4, "a source of type jsonl needs path"),
            at(5, "a source needs a name, [a-z0-9-]+"),
            at(6, "no such key 'pth' in a source of type jsonl; did you mean 'path'?"),
            at(7, "name 'D' is not [a-z0-9-]+"),
            at(8, "interval '5' is not a duration, for example 500ms, 2s, 10m, 1h or 7d"),
            at(9, "interval 10ms is below the floor of 1s"),
            at(10, "interval 10s is below the floor of 30s"),
            at(11, "a source of type jira needs url and query"),
            at(12, "repository 'repo' is not owner/name, for example apache/kafka"),
            at(12, "no such key 'nonsense' in a source of type github; it has name, type, "),
            at(13, "fingerprint 'titel' is not some of priority, state, tags, text, title, type"),
            at(13, "unassigned 'never' is not one of ignore, closed"),
            at(13, "a source of type redmine needs a token; name its environment variable with"),
            at(13, "revisit 1s is below the floor of 30s"),
            at(15, "source default/k is configured twice, first at " + file() + ":14"));
  }

  @Test
  void aQueryThatItsTrackerCannotReadIsRefusedAtItsLine() {
    assertThat(
            refused(
                """
                sources:
                  - name: a
                    type: azure-devops
                    url: https://dev.azure.com/org/shop
                    query: project = SHOP
                    token-env: T
                  - {name: b, type: redmine, url: "https://r.example", query: key=x, token-env: T}
                """))
        .satisfiesExactly(at(5, "query: "), at(7, "query parameter 'key' is Flyball's own"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"token", "password", "api-key", "pat", "key", "webhook-token"})
  @DisplayName("a secret in the file is rejected with the fix, and not repeated")
  void aSecretInTheFileIsRefusedAndNotRepeated(String key) {
    assertThat(
            refused(
                """
                sources:
                  - {name: a, type: github, repository: o/r, %s: hunter2hunter2}
                """
                    .formatted(key)))
        .singleElement()
        .asString()
        .startsWith(file() + ":2: a secret does not belong into the configuration;")
        .contains("token-env", "token-file")
        .doesNotContain("hunter2");
  }

  @Test
  void aSecretWhereItsNameBelongsIsRefusedAndNotRepeated() {
    String secret = "ghp_0123456789012345678901234567890123456789";

    assertThat(
            refused(
                "sources: [{name: a, type: github, repository: o/r, token-env: " + secret + "}]"))
        .singleElement()
        .asString()
        .contains("token-env '(hidden)' is not the name of an environment variable")
        .doesNotContain(secret);
  }

  @Test
  void aTokenInTwoPlacesIsRefused() {
    assertThat(
            refused(
                "sources: [{name: a, type: github, repository: o/r, token-env: T, token-file:"
                    + " f}]"))
        .singleElement()
        .asString()
        .endsWith(":1: name one of token-env and token-file, not both");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "http://redmine.example",
    "https://me:hunter2@redmine.example",
    "https://redmine.example/?key=hunter2",
    "https://redmine.example/#a",
    "redmine.example",
    "ftp://redmine.example",
    "'https://redmine.example /x'",
    "http://127.0.0.1.evil.example",
  })
  @DisplayName("an address that would expose a credential, or contains one, is rejected")
  void anAddressThatGivesTheTokenAwayIsRefused(String url) {
    assertThat(
            refused("sources: [{name: a, type: redmine, token-env: T, url: '%s'}]".formatted(url)))
        .singleElement()
        .asString()
        .contains("is not an https address without user, query and fragment, %20 for a space")
        .contains("elsewhere the token could be read on its way")
        .doesNotContain("me:hunter2");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {"http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000/redmine"})
  void thisMachineItselfMayBeAskedByHttp(String url) {
    assertThat(
            sources("sources: [{name: a, type: redmine, token-env: T, url: '%s'}]".formatted(url)))
        .hasSize(1);
  }

  @Test
  void writeBacksThatCannotBeAreRefused() {
    assertThat(
            refused(
                """
                sources:
                  - {name: a, type: jsonl, path: x, write-back: comment}
                  - {name: b, type: github, repository: o/r, write-back: comment}
                  - {name: c, type: jsonl, path: x, write-back: webhook}
                  - {name: d, type: jsonl, path: x, webhook-url: "https://hooks.example"}
                  - {name: e, type: jsonl, path: x, write-back: webhook, webhook-url: "http://u:hunter2@hooks.example/x"}
                """))
        .satisfiesExactly(
            at(2, "a source of type jsonl takes no comments"),
            at(3, "comments need a token: token-env or token-file"),
            at(4, "write-back: webhook needs webhook-url"),
            at(5, "webhook-url needs write-back: webhook"),
            at(6, "webhook-url '(hidden)' is not an https address"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"../x", "-x", "a..b", "a b", "x.lock", "a//b", "/a", "a/", "a:b", "~a"})
  void whatIsNoBranchIsRefused(String branch) {
    assertThat(
            refused("sources: [{name: a, type: jsonl, path: x, branch: '%s'}]".formatted(branch)))
        .singleElement()
        .asString()
        .contains("is not a branch");
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
  void everyWordForATypeIsAType() {
    for (SourceType type : SourceType.values()) {
      SourceKeys.TYPE.type().check(type.label());
    }
    String all = String.join(", ", Stream.of(SourceType.values()).map(SourceType::label).toList());
    assertThat(SourceKeys.TYPE.type().allowed()).isEqualTo("one of " + all);
  }

  @Test
  void everyDefaultOfASourcesKeyIsAcceptedByItsType() {
    for (SourceType type : SourceType.values()) {
      for (Key<?> key : type.keys()) {
        Optional.ofNullable(key.initial()).ifPresent(key.type()::check);
      }
    }
  }

  private static Consumer<String> at(int line, String what) {
    return problem -> assertThat(problem).contains(":" + line + ": ").contains(what);
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
    try {
      return ConfigurationLoader.load(Files.writeString(file(), yaml), Map.of(), List.of());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path file() {
    return folder.resolve("flyball.yaml");
  }
}
