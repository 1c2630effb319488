package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.SourceChanges;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("S0-51: a configuration that changes while a service runs")
final class HotConfigurationTest {
  private static final String GOOD =
      """
      sources:
        - {name: a, type: jsonl, path: a.jsonl}
      """;

  private static final String EVERY_KIND =
      GOOD
          + """
            - {name: b, type: azure-devops, url: "https://dev.azure.com/org/shop", query: "SELECT [System.Id] FROM WorkItems WHERE 1=1", token-command: echo 1}
            - {name: c, type: redmine, url: "https://redmine.example", token-env: TOKEN}
          """;

  /** One of them is another value for any key. */
  private static final List<String> VALUES =
      List.of(
          "7 200 big 20s 400s 1000s 1ms 1KiB 1MB title acme acme. claude cancel A B debug ecs none rules chat false 127.0.0.1:1 http://127.0.0.1:1 http://127.0.0.1:1/{trace}"
              .split(" "));

  @TempDir Path folder;
  private final List<String> said = new ArrayList<>();
  private final List<ProducerConfig> applied = new ArrayList<>();
  private HotConfiguration hot;
  private boolean refusing;

  @BeforeEach
  void aServiceRuns() {
    write(GOOD);
    Configuration started = load();
    applied.add(new AppConfigurations(started).producer());
    hot =
        new HotConfiguration(
            new HotConfiguration.Again(file(), this::load, said::add),
            started,
            next -> {
              if (refusing) {
                throw new IllegalStateException("no more files may be open");
              }
              ProducerConfig before = applied.getLast();
              applied.add(next);
              return SourceChanges.between(before, next);
            });
    looks(2);
    said.clear();
  }

  @Test
  void aGoodFileAppliesAndIsReportedInOneLine() {
    changes(GOOD + "  - {name: b, type: jsonl, path: b.jsonl}\ntext: {limit: 8KiB}\n");

    assertThat(applied.getLast().sources())
        .extracting(SourceConfig::name)
        .containsExactly("a", "b");
    assertThat(applied.getLast().textLimit()).isEqualTo(8192);
    oneLineSaid(file().toString(), "added default/b", "changed default/a");
    assertThat(hot.health()).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("a file that is unchanged, still written or missing for a moment is not applied")
  void aFileThatIsStillWrittenOrIsMissingForAMomentIsNotRead() throws IOException {
    int before = applied.size();
    looks(3);
    write("sources: []\n");
    looks(1);
    Files.delete(file());
    looks(1);
    write(GOOD);
    looks(1);
    assertThat(applied).hasSize(before);

    looks(1);
    assertThat(said).isEmpty();
    assertThat(hot.health()).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("every source is looked at before any counts; a bad file is reported until fixed")
  void aBadFileKeepsTheLastGoodOneAndDegradesHealthUntilItIsFixed() {
    int before = applied.size();
    changes(GOOD + "  - {name: b, type: redmine, url: \"http://redmine.example\", token: x}\n");
    looks(1);

    assertThat(applied).hasSize(before);
    oneLineSaid(file() + ":3: ", "(and 2 more)");
    assertThat(hot.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(hot.health().reasons()).isEqualTo(said);
    said.clear();

    changes(GOOD);
    assertThat(hot.health()).isEqualTo(Health.healthy());
    oneLineSaid(file().toString());
  }

  @Test
  void whatCannotBeAppliedIsReportedOnceAndRetriedAtEachCheck() {
    refusing = true;
    write(GOOD + "  - {name: b, type: jsonl, path: b.jsonl}\n");
    looks(4);

    oneLineSaid(file() + ": ", "no more files may be open");
    assertThat(hot.health().status()).isEqualTo(Health.Status.DEGRADED);
    said.clear();
    refusing = false;

    looks(1);
    oneLineSaid(file().toString(), "added default/b");
    assertThat(hot.health()).isEqualTo(Health.healthy());
  }

  @Test
  void keysThatCannotChangeWhileItRunsAreNamedOnceWithTheWay() {
    String keys = "cap: 5\nsessions: {agent: claude, slots: 2}\nkafka: {linger.ms: 5}\n";
    changes(GOOD + keys);
    changes(GOOD + "# a comment\n" + keys);

    assertThat(said)
        .containsExactly(
            file()
                + " read again: cap takes effect with `flyball cap 5`; kafka.linger.ms,"
                + " sessions.agent, sessions.slots need a restart");
  }

  @Test
  void whatIsWrittenOtherwiseAndMeansTheSameIsNoChange() {
    changes(GOOD + "breaker: {open: 300s}\nsessions: {wall-clock: 600s, output: 65536KiB}\n");

    assertThat(said).isEmpty();
  }

  @Test
  void everyKeyEitherCountsAtOnceOrIsNamedWithTheWay() throws IOException {
    var values = new ArrayList<>(VALUES);
    for (String variables : List.of("{{item}} {{answer}}", "{{items}} {{ids}}")) {
      Path prompt = Files.createTempFile(folder, "prompt", ".md");
      values.add(Files.writeString(prompt, "template: mine/1\n" + variables + "\n").toString());
    }
    // Without a secret nothing may be pushed.
    Files.writeString(folder.resolve("push.secret"), "a secret of the trackers");
    write(EVERY_KIND + "push: {secret-file: push.secret}\n");
    Configuration before = load();
    ProducerConfig polled = new AppConfigurations(before).producer();
    for (Key<?> key : Keys.all()) {
      Configuration next = other(key, before, values);
      List<String> later = before.later(next);
      boolean counts =
          !SourceChanges.between(polled, new AppConfigurations(next).producer()).none();

      assertThat(later.size()).as("%s: %s", key.name(), later).isEqualTo(counts ? 0 : 1);
      assertThat(later).allMatch(line -> line.startsWith(key.name() + " "));
    }
  }

  /** The configuration with one key that has another value than its default. */
  private static Configuration other(Key<?> key, Configuration before, List<String> values) {
    for (String value : values) {
      try {
        Configuration next = before.with(key, value, "test");
        if (!next.find(key).equals(before.find(key))) {
          new AppConfigurations(next).check();
          return next;
        }
      } catch (ConfigurationError none) {
        // The next one may be allowed.
      }
    }
    throw new AssertionError("no other value is known for " + key.name() + "; add one to VALUES");
  }

  @ParameterizedTest
  @DisplayName("a source is not polled for sessions in a repository that the runner does not know")
  @ValueSource(strings = {"", "tenant: acme\n"})
  void aSourceWithASeparateRepositoryWaitsForARestart(String tenant) {
    changes(tenant + GOOD + "  - {name: b, type: jsonl, path: b.jsonl, repo: product}\n");

    assertThat(applied.getLast().sources()).extracting(SourceConfig::name).containsExactly("a");
    oneLineSaid("/b: its repository counts from the next start; not polled until then");
  }

  @Test
  void aSourceWhoseRepositoryOrBranchChangesStaysAsItWas() {
    SourceConfig before = applied.getLast().sources().getFirst();
    changes("sources:\n  - {name: a, type: jsonl, path: other.jsonl, repo: product}\n");
    assertThat(applied.getLast().sources()).containsExactly(before);
    assertThat(said)
        .containsExactly(
            file()
                + " read again: source default/a: its repository counts from the next start;"
                + " polled as before until then");

    changes("sources:\n  - {name: a, type: jsonl, path: other.jsonl}\n");
    assertThat(applied.getLast().sources()).doesNotContain(before).hasSize(1);
  }

  @Test
  void aDeletedFileKeepsEverythingAndIsReportedUntilItIsBack() throws IOException {
    Files.delete(file());
    looks(5);

    oneLineSaid(file() + ": ");
    assertThat(hot.health().status()).isEqualTo(Health.Status.DEGRADED);

    changes(GOOD);
    assertThat(hot.health()).isEqualTo(Health.healthy());
  }

  private void oneLineSaid(String... words) {
    assertThat(said).singleElement().asString().contains(words);
  }

  /** As an editor changes the file and the service sees it. */
  private void changes(String yaml) {
    write(yaml);
    looks(2);
  }

  private void looks(int times) {
    for (int i = 0; i < times; i++) {
      hot.look();
    }
  }

  private Configuration load() {
    return ConfigurationLoader.load(file(), Map.of(), List.of());
  }

  private void write(String yaml) {
    try {
      Files.writeString(file(), yaml);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path file() {
    return folder.resolve("flyball.yaml");
  }
}
