package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator changes holds for a running service from the command's answer on. */
@Tag("long")
final class OperatorIT {
  @TempDir Path folder;
  private String kafka = "";

  @Test
  void pauseResumeCapAndBudgetHoldAtOnceAndSayWhatTheyDid() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", "");
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """);
    try (Program up = Program.start(folder, "up")) {
      up.awaitLine("ready console=");
      kafka = up.out().replaceAll("(?s).*kafka=", "").strip();

      JsonNode paused = answer(0, "pause", "--why", "the build machine is busy").get(0);
      assertThat(paused.get("scope").asText()).isEqualTo("global");
      assertThat(paused.get("until").asText()).as("no end").isEmpty();
      assertThat(paused.get("why").asText()).isEqualTo("the build machine is busy");

      desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
      Program.awaitPrinted().untilAsserted(() -> assertThat(items("queued")).hasSize(2));
      assertThat(answer(0, "cap").get(0).get("live").asInt()).isZero();
      assertThat(Program.run(folder, "why", "1").out())
          .contains("\tqueued\tpaused\tglobal\t\tglobal paused by ", "the build machine is busy");

      assertThat(answer(0, "cap", "1").get(0).get("cap").asInt()).isEqualTo(1);
      assertThat(answer(0, "budget", "--daily-usd", "0.5").get(0).get("dailyUsd").asText())
          .isEqualTo("0.5");
      answer(0, "budget", "--daily-tokens", "5000");
      assertThat(answer(0, "budget", "--daily-usd", "0.4").get(0).get("dailyTokens").asLong())
          .as("the limit that was not named stays")
          .isEqualTo(5_000);
      assertThat(answer(0, "budget", "--none").get(0).get("dailyUsd").asText()).isEmpty();
      assertThat(items("queued")).hasSize(2);

      assertThat(answer(0, "resume")).isEmpty();
      Program.awaitPrinted().untilAsserted(() -> assertThat(items("analyzed")).hasSize(2));

      answer(1, "resume");
      answer(2, "pause", "--scope", "tenants");
      answer(2, "pause", "--for", "a while");
    }
  }

  /** The table as JSON; null if the command was refused. */
  private JsonNode answer(int code, String... words) {
    var command = new ArrayList<>(List.of(words));
    command.addAll(List.of("--bootstrap-servers", kafka, "--json"));
    Program program = Program.run(folder, command.toArray(String[]::new));
    assertThat(program.awaitEnd()).as(program::err).isEqualTo(code);
    assertThat(program.err().lines().toList()).as(program::err).hasSize(code == 0 ? 0 : 1);
    return code == 2 ? NullNode.getInstance() : program.json();
  }

  private List<String> items(String state) {
    return Program.run(folder, "items", "--state", state).out().lines().skip(1).toList();
  }
}
