package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer sees when something is wrong: one clear line, and the exit code that says so. */
@Tag("long")
final class AgentsThatFailIT {
  @TempDir Path folder;

  @Test
  void anItemThatIsGivenUpAndALineThatIsNoItemAreNamedAndTheOthersGoOn() {
    var place = Workplace.in(folder);
    place.write(
        "items.jsonl",
        Workplace.backlog(Workplace.LEASE, "1").replace("{", "{\"sprint\":7,")
            + "this is no item\n");
    place.agent(
        "agent.sh", "if grep -q parseDuration; then exit 7; fi\necho 'see src/Ledger.java:3'\n");

    Program program = run("--set", "sessions.attempts=1");

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
    for (String command :
        List.of("logs 1", "logs 1 --follow", "cap", "budget", "why 2", "status")) {
      Program read = Program.run(folder, command.split(" "));
      assertThat(read.awaitEnd()).as(command + ", without a service: " + read.err()).isZero();
    }
    assertThat(Program.run(folder, "logs", "1").out()).isEqualTo("out\tsee src/Ledger.java:3\n");
    assertThat(Program.run(folder, "cap", "--no-headers").out()).startsWith("global\t");
  }

  @Test
  @DisplayName("INV-5, INV-7, T8: whatever ends a run, the same command goes on, and no item dies")
  void aRunThatCannotGoOnSaysWhyAndTheNextGoesOn() {
    var place = Workplace.in(folder);
    place.write(
        "items.jsonl",
        IntStream.rangeClosed(1, 6)
            .mapToObj(id ->
                "{\"id\":\"%d\",\"title\":\"Slow lease %d\",\"tags\":[\"needs-analysis\"]}\n"
                    .formatted(id, id))
            .collect(Collectors.joining()));

    Path started = folder.resolve("started");
    place.agent(
        "agent.sh",
        "echo \"$FLYBALL_SESSION\" > \"$(dirname \"$0\")/started\"\n"
            + "setsid sleep 600 &\nsleep 600\n");
    try (Program program = start()) {
      KafkaFixture.await()
          .untilAsserted(() -> assertThat(started).exists().content().matches("(?s)\\S+\\s"));
      String session = Program.read(started).strip();
      assertThat(ProcSampler.withCookie(session)).isNotEmpty();
      program.signal("INT");
      assertThat(program.awaitEnd()).as(program::err).isEqualTo(130);
      assertThat(ProcSampler.withCookie(session)).isEmpty();
      assertThat(program.err().lines().toList().getLast()).contains(" of 6 ");
    }

    // As an earlier service may have.
    try (Program up = Program.up(folder, Program.ANYWHERE, "--cap", "0")) {
      up.stop();
    }
    place.agent("agent.sh", "echo never\n");
    assertThat(blocked()).contains(".flyball is 0: ", "--cap ");
    place.write("agent.sh", "#!/bin/sh\necho never\n");
    assertThat(run("--cap", "3").err()).contains("agent.sh is not executable; chmod +x ");
    place.agent("agent.sh", "echo 'logged out' >&2; exit 1\n");
    assertThat(blocked("--cap", "3")).contains("logged out");
    place.agent("agent.sh", "cat >/dev/null\necho 'see src/Ledger.java:3'\n");
    Program again = run();
    assertThat(again.awaitEnd()).as(again::err).isZero();
    assertThat(again.json().path("analyses").asInt()).isEqualTo(6);
    assertThat(again.json().path("triageCalls").asInt()).isZero();
    assertThat(again.json().path("continued").asInt()).isEqualTo(6);
    assertThat(again.json().path("settled").path("analyzed").asInt()).isEqualTo(6);
    assertThat(again.err())
        .contains("6 items of an earlier run over ")
        .contains("flyball: 6 items: nothing changed; left over from an earlier run: 6 analyzed; ")
        .doesNotContain("0 of 0 settled");
  }

  /** What a run says that cannot start a session for any of the items. */
  private String blocked(String... more) {
    Program run = run(more);
    assertThat(run.awaitEnd()).as(run::err).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).doesNotContain("is dead");
    String last = run.err().lines().toList().getLast();
    assertThat(last).startsWith("flyball: 6 items wait for a session");
    return last;
  }

  private Program run(String... more) {
    Program run = start(more);
    run.awaitEnd();
    return run;
  }

  private Program start(String... more) {
    var command = new ArrayList<>(List.of("run", "items.jsonl", "--repo", "repo", "--json"));
    command.addAll(List.of("--agent", "command:" + folder.resolve("agent.sh")));
    command.addAll(List.of(more));
    return Program.start(folder, command.toArray(String[]::new));
  }
}
