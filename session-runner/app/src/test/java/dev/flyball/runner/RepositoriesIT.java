package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.Scout;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.Origin;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Items of several sources, each analysed in the repository and branch of its source. */
@Tag("long")
class RepositoriesIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final RunnerFixture RUNNERS = new RunnerFixture(KAFKA);

  private static final String SEARCH = "class Search { void search() {} }\n";

  @TempDir Path folder;

  @Test
  @DisplayName("the files and commit of an analysis are those of its source's own branch")
  void everySourceHasItsOwnRepository() throws Exception {
    Path usual = folder.resolve("usual");
    Path shop = folder.resolve("shop");
    String usualHead = repository(usual, "UsualSearch.java");
    repository(shop, "MainSearch.java");
    String released;
    try (Origin made = Origin.in(shop)) {
      made.git().checkout().setCreateBranch(true).setName("release/1").call();
      released = made.commit("ReleasedSearch.java", SEARCH);
      made.git().checkout().setName("main").call();
    }
    var repositories =
        new Repositories(
            OfSource.in(usual, null),
            Map.of(
                "acme/web", OfSource.in(usual, null),
                "acme/shop", OfSource.in(shop, "release/1"),
                "acme/gone", OfSource.in(folder.resolve("gone"), null)),
            MirrorLimits.DEFAULT);
    try (var _ = runner(new Scout(), repositories)) {
      String web = request("acme/web/1");
      String inShop = request("acme/shop/1");
      request("acme/gone/1");

      assertThat(result(web).commit()).isEqualTo(usualHead);
      assertThat(result(web).text()).contains("UsualSearch.java");
      assertThat(result(inShop).commit()).isEqualTo(released);
      assertThat(result(inShop).text()).contains("ReleasedSearch.java");
      String gone = folder.resolve("gone").toString();
      await().until(RepositoriesIT::reasons, all -> all.stream().anyMatch(it -> it.contains(gone)));
    }
  }

  @Test
  @DisplayName(
      "S0-38: a program's prompt has the codebase; a repository by URL moves between two sessions,"
          + " then vanishes: the last state is read")
  void aRepositoryByUrl() throws Exception {
    Path origin = folder.resolve("origin");
    String first = repository(origin, "FirstSearch.java");
    Path left = Files.createDirectories(folder.resolve("data/worktrees/acme/url/left/src"));
    var repositories = new Repositories(Origin.byUrl(origin), Map.of(), MirrorLimits.DEFAULT);
    try (RunnerApp app = runner(new Command("/bin/cat"), repositories)) {
      assertThat(left).as("swept before the first claim").doesNotExist();
      SessionResult before = result(request("acme/url/1"));
      assertThat(before.commit()).isEqualTo(first);
      assertThat(before.text())
          .contains("Commit " + first, "./: FirstSearch.java")
          .doesNotContain("SecondSearch.java");

      String second = repository(origin, "SecondSearch.java");
      SessionResult moved = result(request("acme/url/2"));
      assertThat(moved.commit()).isEqualTo(second);
      assertThat(moved.text()).contains("SecondSearch.java");

      Files.move(origin, folder.resolve("vanished"));
      SessionResult old = result(request("acme/url/3"));
      assertThat(old.commit()).isEqualTo(second);
      assertThat(Pattern.compile("[0-9]{4}-[0-9-]{5}T[0-9:]{8}Z").matcher(old.text()).results())
          .as("when it was fetched: once in the prompt, once in the analysis")
          .hasSize(2);
      assertThat(app.health().status()).isEqualTo(Health.Status.DEGRADED);
      assertThat(app.health().reasons()).anyMatch(reason -> reason.contains("origin"));
      await().until(() -> trees().isEmpty());
    }
  }

  /** The trees of sessions that exist now. */
  private List<Path> trees() throws Exception {
    try (Stream<Path> trees = Files.list(folder.resolve("data/worktrees/acme/url"))) {
      return trees.toList();
    }
  }

  private RunnerApp runner(AgentProgram agent, Repositories repositories) {
    var config =
        RunnerFixture.config(
            "r",
            folder.resolve("data"),
            LeaseTimes.DEFAULTS,
            agent,
            repositories,
            RunnerConfig.Confinement.DEFAULT,
            SessionLimits.DEFAULT);
    var app = new RunnerApp(config, KAFKA.settings(), new Telemetry());
    app.start();
    await().until(() -> app.health().equals(Health.healthy()));
    return app;
  }

  private static String repository(Path root, String file) throws Exception {
    try (Origin made = Origin.in(root)) {
      return made.commit(file, SEARCH);
    }
  }

  private static String request(String item) {
    var _ = RUNNERS.request(item);
    return item;
  }

  private static SessionResult result(String item) {
    return RUNNERS.result(it -> it.subject().equals(item));
  }

  private static List<String> reasons() {
    return RUNNERS.entries(LedgerEntry.Release.class).stream()
        .map(release -> String.valueOf(release.reason()))
        .toList();
  }
}
