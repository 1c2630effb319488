package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer sees when something is wrong: one clear line, and the exit code that says so. */
@Tag("long")
final class AgentsThatFailIT {
  @TempDir Path folder;

  @Test
  void anItemThatIsGivenUpAndALineThatIsNoItemAreNamedAndTheOthersGoOn() {
    var desk = new Desk(folder);
    desk.write(
        "items.jsonl",
        Desk.backlog(Desk.LEASE, "1").replace("{", "{\"sprint\":7,") + "this is no item\n");
    String agent =
        desk.agent(
            "agent.sh",
            "if grep -q parseDuration; then exit 7; fi\necho 'see src/Ledger.java:3'\n");

    Program program =
        Program.run(
            folder,
            "run",
            "items.jsonl",
            "--repo",
            "repo",
            "--agent",
            agent,
            "--json",
            "--set",
            "sessions.attempts=1");

    assertThat(program.awaitEnd()).as(program::err).isEqualTo(3);
    assertThat(program.json().path("sessions").path("completed").asInt()).isEqualTo(1);
    assertThat(program.json().path("sessions").path("failed").asInt()).isEqualTo(1);
    assertThat(program.json().path("invalid").asInt()).isEqualTo(1);
    assertThat(program.json().path("dead").asInt()).isEqualTo(1);
    assertThat(program.err())
        .contains("items.jsonl:4: ", "sprint (3)")
        .contains("default/items/2 is dead: ")
        .contains("exit 7");

    Program letters = Program.run(folder, "dead-letters", "--json");
    assertThat(letters.awaitEnd()).as(letters::err).isZero();
    assertThat(letters.json()).as("the line and the item, without a service").hasSize(2);
    assertThat(letters.json())
        .anyMatch(each -> each.path("key").asText().equals("default/items/2"));
  }

  @Test
  void anAgentThatCannotBeStartedIsNamedAndKillsNoItem() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    Path agent = desk.write("agent.sh", "#!/bin/sh\necho never\n");

    Program program =
        Program.run(
            folder,
            "run",
            "items.jsonl",
            "--repo",
            "repo",
            "--agent",
            "command:" + agent,
            "--json",
            "--set",
            "sessions.attempts=1");

    assertThat(program.awaitEnd()).as(program::err).isEqualTo(1);
    assertThat(program.err())
        .contains("2 items wait for a session")
        .contains("agent.sh not executable; chmod +x it")
        .doesNotContain("is dead");
  }

  @Test
  void anAgentThatFailsAtEveryItemIsFaultyItselfAndOnceRepairedFinishesThem() {
    var desk = new Desk(folder);
    desk.write(
        "items.jsonl",
        IntStream.rangeClosed(1, 6)
            .mapToObj(id ->
                "{\"id\":\"%d\",\"title\":\"Slow lease %d\",\"tags\":[\"needs-analysis\"]}\n"
                    .formatted(id, id))
            .collect(Collectors.joining()));
    String agent = desk.agent("agent.sh", "echo 'logged out' >&2; exit 1\n");
    String[] run = {"run", "items.jsonl", "--repo", "repo", "--agent", agent, "--json"};

    Program broken = Program.run(folder, run);

    assertThat(broken.awaitEnd()).as(broken::err).isEqualTo(1);
    assertThat(broken.err())
        .contains("6 items wait for a session", "logged out")
        .doesNotContain("is dead");

    desk.agent("agent.sh", "echo 'see src/Ledger.java:3'\n");
    Program repaired = Program.run(folder, run);

    assertThat(repaired.awaitEnd()).as(repaired::err).isZero();
    assertThat(repaired.json().path("analyses").asInt()).isEqualTo(6);
  }
}
