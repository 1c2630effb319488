package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-33: what doctor says of sources, and how the polls of their trackers go")
final class SourceCheckTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
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

  private final List<String> asked = new ArrayList<>();
  private Optional<TrackerFailure> answer = Optional.empty();

  @Test
  void aTrackerThatAnswersIsReported() {
    assertThat(found(state(null)))
        .isEqualTo(Finding.ok("polls acme/shop", "last poll 1m 48s ago; answers"));
  }

  @Test
  void aTrackerThatWasNeverPolledIsNoFault() {
    assertThat(found(null)).isEqualTo(Finding.ok("polls acme/shop", "never polled; answers"));
  }

  @Test
  void anOpenBreakerIsReportedWithItsRemainingTimeAndTheFix() {
    var trouble = new Trouble("auth", "401: the token expired", 3, 0, NOW.plusSeconds(192));

    Finding found = found(state(trouble));
    assertThat(found.check()).isEqualTo("polls acme/shop");
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", ", auth, ", " 3 failures ", " 3m 12s", trouble.reason());
    assertThat(found.fix()).contains(" token ");
  }

  @Test
  void anOpenBreakerWhoseTimeIsUpIsTriedWithTheNextPoll() {
    var trouble = new Trouble("unreachable", "503", 4, 0, NOW.minusSeconds(1));

    assertThat(found(state(trouble)).found()).isEqualTo("last poll 1m 48s ago; answers");
    assertThat(asked).containsExactly("c");
  }

  @Test
  void aPausedTrackerIsNotAsked() {
    found(state(new Trouble("unreachable", "503", 3, 0, NOW.plusSeconds(1))));

    assertThat(asked).isEmpty();
  }

  @Test
  void aTrackerThatDoesNotAnswerIsReportedWithTheFix() {
    answer =
        Optional.of(
            TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "ado.test does not answer"));

    Finding found = found(state(null));
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", " unreachable: ", answer.orElseThrow().reason());
    assertThat(found.fix()).isNotBlank().doesNotContain("token");
  }

  @Test
  void aTokenThatDoctorLacksIsNotSaidToBeWaitedFor() {
    answer = Optional.of(TrackerFailure.of(TrackerFailure.Category.AUTH, "KEY is not set"));

    Finding waiting = found(state(new Trouble("auth", "401", 3, 0, NOW.plusSeconds(192))));
    assertThat(found(state(null)).fix()).contains("doctor").isNotEqualTo(waiting.fix());
  }

  @Test
  void aPauseThatTheTrackerAskedForNeedsNoAction() {
    var trouble = new Trouble("rate limited", "wait", 0, 1, NOW.plusSeconds(30));

    assertThat(found(state(trouble)).state()).isEqualTo(Finding.State.OK);
    assertThat(found(state(trouble)).found()).contains("paused by its tracker for another 30s");
  }

  private static PollState state(@Nullable Trouble trouble) {
    return new PollState("producer-1", 1, 1, "c", NOW.minusSeconds(108), trouble, null, null);
  }

  private Finding found(@Nullable PollState state) {
    var check =
        new SourceCheck(
            Breaker.Limits.DEFAULT,
            NOW,
            (source, cursor) -> {
              asked.add(String.valueOf(cursor));
              return answer;
            });
    return check.poll(redmine(new Credential.None()), state);
  }
}
