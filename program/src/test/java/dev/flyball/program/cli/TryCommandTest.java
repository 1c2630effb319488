package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.config.FirstFile;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("flyball try: what Flyball would make of open issues, without a start or a cost")
class TryCommandTest {
  private static final String GOOD =
      "Steps: open it. Expected: a list. Search.find() throws an exception in src/Search.java:\n"
          + "at app.Search.find(Search.java:10)\n"
          + "This is what we see on the second machine of our three since the update of last week.";

  @AutoClose private final FaultServer github = FaultServer.http();
  @TempDir Path folder;

  @Test
  void theIssuesOfAPublicRepositoryAreReadWithoutAToken() {
    github.otherwise(_ ->
        list(
            issue(1, "open", "Search hangs", GOOD),
            issue(2, "open", "Help", "please help"),
            issue(3, "closed", "Old", GOOD)));

    Answer answer = tried();

    assertThat(answer.code()).as(answer.err()).isZero();
    assertThat(answer.out())
        .contains("acme/web: 2 open issues read (no token)")
        .contains("     1 deserves an agent\n         1  Search hangs\n     1 does not:\n")
        .containsPattern("1 too short.*\n +2\n")
        .contains("1 session of claude would cost at most $0.50")
        .contains("--prompt 1");
    assertThat(github.requests()).allMatch(each -> each.header("Authorization").isEmpty());
  }

  @Test
  void aRateLimitIsOneLineWithTheFix() {
    github.otherwise(_ ->
        FaultReply.json(
            403,
            Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "4102444800"),
            "{\"message\":\"API rate limit exceeded\"}"));

    Answer answer = tried();

    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.err().lines().filter(line -> !line.contains("reading")))
        .singleElement()
        .asString()
        .contains("rate limited")
        .endsWith("; GITHUB_TOKEN allows more requests, and private repositories");
  }

  @Test
  void thePromptOfAnIssueHasItsTextAsUntrusted() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("issues.json"),
            RecordJson.write(issue(7, "open", "Search hangs", GOOD)) + "\nno object\n");

    Answer answer = flyball("try", file.toString(), "--prompt", "7");

    assertThat(answer.code()).as(answer.err()).isZero();
    assertThat(answer.out()).contains("BEGIN UNTRUSTED WORK ITEM", "> title: Search hangs");
    assertThat(flyball("try", file.toString(), "--prompt", "8").code()).isEqualTo(2);
    assertThat(flyball("try", file.toString()).out()).contains("1 entry cannot be read", ":2: ");
  }

  @Test
  void ofTheExampleBacklogNineDeserveAnAgent() {
    assertThat(flyball("try", "../examples/backlog.jsonl").out())
        .contains("14 open issues read", " 9 deserve an agent", " 5 do not:")
        .contains(
            "9 sessions of claude would cost at most $4.50, and a second attempt $0.50; a day at"
                + " most $20.00.");
  }

  @Test
  void aRepositoryWithoutOpenIssuesIsOneLineAndWhatIsPossibleNext() {
    github.otherwise(_ -> list());

    assertThat(tried().out())
        .startsWith("acme/web: 0 open issues read (no token)\n\nNext:\n  ./flyball drill");
  }

  @Test
  void outsideOfACloneARepositoryHasToBeNamed() {
    assertThat(FirstFile.onGitHub(folder)).isEmpty();
    assertThatThrownBy(() -> TryCommand.repository(null, Optional.empty()))
        .hasMessageContaining("no clone of a repository on GitHub; name one, as in ./flyball try");
  }

  @Test
  void whatIsNoFileAndNoRepositoryIsAUsageError() {
    Answer answer = flyball("try", "no such thing");

    assertThat(answer.code()).isEqualTo(2);
    assertThat(answer.err()).contains("no such file, and not owner/name");
  }

  private Answer tried() {
    return flyball("try", "acme/web", "--api", github.url().toString());
  }

  private static JsonNode issue(int number, String state, String title, String body) {
    JsonNode issue =
        RecordJson.parse(
            """
            {"state":"%s","created_at":"2026-11-20T10:00:00Z","updated_at":"2026-11-20T10:00:00Z",
            "html_url":"https://github.com/acme/web/issues/%d","labels":[{"name":"bug"}],
            "user":{"login":"ann"}}\
            """
                .formatted(state, number));
    return ((ObjectNode) issue).put("number", number).put("title", title).put("body", body);
  }

  private static FaultReply list(JsonNode... issues) {
    return FaultReply.json(RecordJson.write(List.of(issues)));
  }
}
