package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first command, and what the same command costs afterwards (INV-4, MC-1). */
@Tag("long")
final class RunAgainCostsNothingIT {
  /** An older program, whose default was to make fingerprints of more fields. */
  private static final String[] OLDER = {"--set", "fingerprint.fields=state,tags,text,title,type"};

  @TempDir Path folder;

  @Test
  @DisplayName(
      "S0-50 S0-42: a run, the same again, with fingerprints of another version, an edit that"
          + " changes nothing, an edit")
  void onlyWhatChangedCostsASession() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));

    JsonNode first = run(desk, OLDER);
    assertThat(first.path("items").asInt()).isEqualTo(3);
    // One batch, or more if a busy machine spreads the items over time; never one for each snapshot
    // again.
    assertThat(first.path("triageCalls").asInt()).isBetween(1, 3);
    assertThat(completed(first)).isEqualTo(2);
    assertThat(first.path("analyses").asInt()).isEqualTo(2);
    assertAddsUp(first);

    JsonNode again = run(desk, OLDER);
    assertThat(again.path("triageCalls").asInt()).isZero();
    assertThat(again.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(again.path("duplicates").asInt()).isEqualTo(3);
    assertAddsUp(again);

    JsonNode upgraded = run(desk);
    assertThat(upgraded.path("triageCalls").asInt()).isZero();
    assertThat(upgraded.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(upgraded.path("duplicates").asInt()).isEqualTo(3);
    assertAddsUp(upgraded);

    // Another state, which the new version does not look at, and other tags around the same words.
    String same = Desk.backlog("  <b>" + Desk.LEASE + "</b> ", "2");
    desk.write("items.jsonl", same.replace("Active", "In Review"));
    JsonNode noop = run(desk);
    assertThat(noop.path("triageCalls").asInt()).isZero();
    assertThat(noop.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertAddsUp(noop);

    desk.write("items.jsonl", Desk.backlog(Desk.LEASE + " Seen again today.", "3"));
    JsonNode edited = run(desk);
    assertThat(completed(edited)).isEqualTo(1);
    assertThat(edited.path("triageCalls").asInt()).isEqualTo(1);
    assertAddsUp(edited);

    Program analysis = Program.run(folder, "analysis", "1");
    assertThat(analysis.out()).contains("src/Ledger.java:").contains("revision 3");
    assertThat(Program.run(folder, "items", "--state", "skipped").out())
        .contains("default/items/3");
    assertThat(Program.run(folder, "item", "default/items/1").out()).contains("session.completed");
  }

  private static JsonNode run(Desk desk, String... more) {
    var command =
        new ArrayList<>(List.of("run", "items.jsonl", "--repo", "repo", "--json", "--cap", "2"));
    command.addAll(List.of(more));
    Program program = Program.run(desk.folder(), command.toArray(String[]::new));
    assertThat(program.awaitEnd()).as(program::err).isZero();
    return program.json();
  }

  private static int completed(JsonNode report) {
    return report.path("sessions").path("completed").asInt();
  }

  private static void assertAddsUp(JsonNode report) {
    assertThat(
            report.path("invalid").asInt()
                + report.path("duplicates").asInt()
                + report.path("changed").asInt())
        .as("every line is one of invalid, duplicate, changed: " + report)
        .isEqualTo(report.path("lines").asInt());
    assertThat(report.path("maxConcurrent").asInt())
        .as("trees at once, 0 exactly if there was none: " + report)
        .isBetween(Math.min(1, completed(report)), 2);
  }
}
