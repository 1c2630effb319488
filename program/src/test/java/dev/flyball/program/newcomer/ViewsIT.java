package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an operator sees of a session while it runs and afterwards, by the data folder alone (S0-52,
 * S1-12, S4-9).
 */
@Tag("long")
final class ViewsIT {
  @TempDir Path folder;

  @Test
  void aSessionIsSeenWhileItRunsAndItsOutputIsFollowedToItsEnd() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE, "1"));
    String agent =
        desk.agent(
            "agent.sh",
            "cat >/dev/null; printf 'red \\033[31mred\\n'; echo oops >&2\n"
                + "until [ -e "
                + folder
                + "/go ]; do sleep 0.1; done; echo 'see src/Ledger.java:3'\n");
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s"}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(agent));
    try (Program up = Program.start(folder, "up")) {
      up.awaitLine("ready console=");
      Program.awaitPrinted()
          .untilAsserted(() -> assertThat(Program.run(folder, "ps").out()).hasLineCount(2));
      JsonNode live = Program.run(folder, "ps", "--json").json().path(0);
      String session = live.path("session").asText();

      Program why = Program.run(folder, "why", "1");
      assertThat(why.out()).contains("\truns\t\t\tsession " + session + " on ");
      assertThat(Program.run(folder, "topics").err()).as("found by its data folder").isEmpty();

      try (Program logs = Program.start(folder, "logs", "-f", "1")) {
        logs.awaitLine("err\toops");
        desk.write("go", "");
        assertThat(logs.awaitEnd()).as(logs::err).isZero();
        assertThat(logs.out().lines())
            .containsExactlyInAnyOrder(
                "out\tred \\u001b[31mred", "err\toops", "out\tsee src/Ledger.java:3");
      }
      Program again = Program.run(folder, "logs", session.substring(0, 8), "--json");
      assertThat(again.awaitEnd()).as(again::err).isZero();
      assertThat(again.out()).hasLineCount(3).contains("\"stream\":\"err\",\"line\":\"oops\"");
      assertThat(again.err()).isEqualTo("flyball: session " + session + " of default/items/1\n");
    }
    Program down = Program.run(folder, "logs", "1");
    assertThat(down.awaitEnd()).isEqualTo(1);
    assertThat(down.err()).contains("--bootstrap-servers").hasLineCount(1);
  }
}
