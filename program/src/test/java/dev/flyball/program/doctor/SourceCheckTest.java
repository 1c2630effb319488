package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SourceCheckTest {
  private static final SourceConfig.Identity SHOP =
      new SourceConfig.Identity("acme", "shop", SourceConfig.DEFAULT_INTERVAL);

  @TempDir Path folder;

  @Test
  void aTokensPlaceIsShownAndNeverItsValue() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "hunter2\n");

    assertThat(one(redmine(new Credential.Environment("KEY")), Map.of("KEY", "hunter2")))
        .isEqualTo(
            Finding.ok(
                "source acme/shop",
                "redmine, https://redmine.example, token from the environment variable KEY"));
    assertThat(one(redmine(new Credential.InFile(file)), Map.of()))
        .isEqualTo(
            Finding.ok("source acme/shop", "redmine, https://redmine.example, token from " + file));
  }

  @Test
  void aMissingTokenIsReportedWithTheFix() {
    Finding unset = one(redmine(new Credential.Environment("KEY")), Map.of("KEY", " "));
    Finding missing = one(redmine(new Credential.InFile(folder.resolve("none"))), Map.of());

    assertThat(unset.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(unset.found()).contains("environment variable KEY", "not set");
    assertThat(missing.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(missing.found()).contains(folder + "/none");
    assertThat(unset.fix()).contains("export KEY");
    assertThat(missing.fix()).contains("token-file");
  }

  @Test
  void aServiceSaysAtItsStartWhichSourcesLackSomethingAndThatThereIsNone() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");
    SourceConfig well = jsonl(file, new WriteBack.Off());

    assertThat(SourceCheck.warnings(List.of(well), Map.of())).isEmpty();
    assertThat(
            SourceCheck.warnings(
                List.of(well, redmine(new Credential.Environment("KEY"))), Map.of("OTHER", "x")))
        .singleElement()
        .asString()
        .isEqualTo(
            "source acme/shop: redmine, https://redmine.example: the environment variable KEY with"
                + " the token is not set; set it and start Flyball again; export KEY in the shell"
                + " or service file that starts the producer, or name a file with token-file");
    assertThat(
            SourceCheck.warnings(
                List.of(jsonl(folder.resolve("none"), new WriteBack.Off())), Map.of()))
        .singleElement()
        .asString()
        .endsWith("none is not there; put it there, or correct its path");
    assertThat(SourceCheck.warnings(List.of(), Map.of()))
        .singleElement()
        .asString()
        .contains("`./flyball init`");
  }

  @Test
  void gitHubWithoutATokenWorksButNotForLong() {
    Finding nobody =
        one(
            new SourceConfig.GitHub(
                SHOP,
                SourceRules.DEFAULT,
                URI.create("https://api.github.com"),
                "org/repo",
                new Credential.None()),
            Map.of());

    assertThat(nobody.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(nobody.found()).contains(" 60 ");
    assertThat(nobody.fix()).contains("token-env");
  }

  @Test
  void aFileAndAFolderOfItemsAreThereOrNot() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");

    assertThat(one(jsonl(file, new WriteBack.Off()), Map.of()).state()).isEqualTo(Finding.State.OK);
    assertThat(one(jsonl(folder, new WriteBack.Off()), Map.of()).state())
        .isEqualTo(Finding.State.OK);
    assertThat(one(jsonl(folder.resolve("none"), new WriteBack.Off()), Map.of()).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(one(jsonl(Path.of("/dev/null"), new WriteBack.Off()), Map.of()).found())
        .isEqualTo("jsonl, /dev/null is neither a file nor a folder");
  }

  @Test
  void aWebhookIsASeparateFindingThatHidesItsAddress() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");
    var webhook =
        new WriteBack.Webhook(
            URI.create("https://hooks.example/services/hunter2"),
            new Credential.Environment("HOOK"),
            new Credential.None());

    List<Finding> all =
        SourceCheck.all(List.of(jsonl(file, webhook)), Map.of("HOOK", "x")).toList();

    assertThat(all.getLast())
        .isEqualTo(
            Finding.ok(
                "write-back acme/shop",
                "webhook to hooks.example, token from the environment variable HOOK"));
  }

  private static Finding one(SourceConfig source, Map<String, String> environment) {
    return SourceCheck.all(List.of(source), environment).findFirst().orElseThrow();
  }

  private static SourceConfig redmine(Credential token) {
    return new SourceConfig.Redmine(
        SHOP, SourceRules.DEFAULT, URI.create("https://redmine.example"), null, "", token);
  }

  private static SourceConfig jsonl(Path path, WriteBack writeBack) {
    SourceRules rules = SourceRules.DEFAULT;
    return new SourceConfig.Jsonl(
        SHOP,
        new SourceRules(
            rules.fingerprintFields(),
            rules.closedStates(),
            false,
            rules.revisit(),
            writeBack,
            OptIn.ALL),
        path);
  }
}
