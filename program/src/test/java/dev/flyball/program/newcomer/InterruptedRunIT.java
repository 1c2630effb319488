package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in the middle, and the same command afterwards (INV-5, INV-7, T8). */
@Tag("long")
final class InterruptedRunIT {
  /** Agents that never end say who they are first: a script's own file is not what /proc shows. */
  private static final String STARTED =
      "echo \"$FLYBALL_SESSION\" > \"$(dirname \"$0\")/started\"\n";

  @TempDir Path folder;

  @Test
  void ctrlCLeavesNoAgentAndTheSameCommandGoesOn() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    Path agent = folder.resolve("agent.sh");
    desk.agent("agent.sh", STARTED + "setsid sleep 600 &\nsleep 600\n");

    try (Program program =
        Program.start(
            folder,
            "run",
            "items.jsonl",
            "--repo",
            "repo",
            "--agent",
            "command:" + agent,
            "--json")) {
      String session = started();
      program.signal("INT");

      assertThat(program.awaitEnd()).as(program::err).isEqualTo(130);
      assertThat(ProcSampler.withCookie(session)).isEmpty();
      assertThat(program.err().lines().toList().getLast()).contains(" of 3 ");
    }

    desk.agent("agent.sh", "cat >/dev/null\necho 'see src/Ledger.java:3'\n");
    Program again =
        Program.run(
            folder,
            "run",
            "items.jsonl",
            "--repo",
            "repo",
            "--agent",
            "command:" + agent,
            "--json");
    assertThat(again.awaitEnd()).as(again::err).isZero();
    assertThat(again.json().path("sessions").path("completed").asInt()).isEqualTo(2);
    assertThat(again.json().path("triageCalls").asInt()).isZero();
    assertThat(again.json().path("continued").asInt()).isEqualTo(2);
    assertThat(again.json().path("settled").path("analyzed").asInt()).isEqualTo(2);
    assertThat(again.err())
        .contains("flyball: 3 items: nothing changed; left over from an earlier run: 2 analyzed; ")
        .doesNotContain("0 of 0 settled");
  }

  @Test
  void kill9LeavesNoAgentAfterItsDeadlineAndTheSameCommandGoesOn() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    Path agent = folder.resolve("agent.sh");
    desk.agent("agent.sh", STARTED + "sleep 600\n");
    String[] command = {
      "run",
      "items.jsonl",
      "--repo",
      "repo",
      "--agent",
      "command:" + agent,
      "--json",
      "--set",
      "ledger.lease=9s",
      "--set",
      "ledger.renew=2s",
      "--set",
      "ledger.margin=2s"
    };

    String session;
    try (Program program = Program.start(folder, command)) {
      session = started();
      program.signal("KILL");
      program.awaitEnd();
    }
    desk.agent("agent.sh", "cat >/dev/null\necho 'see src/Ledger.java:3'\n");
    Program again = Program.run(folder, command);

    assertThat(again.awaitEnd()).as(again::err).isZero();
    assertThat(ProcSampler.withCookie(session)).isEmpty();
    assertThat(Program.run(folder, "items", "--state", "analyzed").out())
        .contains("/1\t")
        .contains("/2\t");
  }

  /** A session that runs now. */
  private String started() {
    Path file = folder.resolve("started");
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(file).exists().content().matches("(?s)\\S+\\s"));
    try {
      String session = Files.readString(file).strip();
      assertThat(ProcSampler.withCookie(session)).isNotEmpty();
      return session;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
