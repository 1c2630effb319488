package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;

/** The README's first command, and what the same command costs afterwards (INV-4, MC-1). */
@Tag("long")
final class RunAgainCostsNothingIT {
  /** Has the commands that back up and restore. */
  private static final Path PAGE = Path.of("../docs/operate.md");

  /** An older program, whose default was to make fingerprints of more fields. */
  private static final String[] OLDER = {"--set", "fingerprint.fields=state,tags,text,title,type"};

  @TempDir Path folder;

  @Test
  @DefaultLocale("fa-IR")
  @DisplayName(
      "S0-50 S0-42: a run where the locale has digits of its own, the same again in another such"
          + " locale after a loss and a restore, with fingerprints of another version, an edit")
  void onlyWhatChangedCostsASession() throws IOException {
    var place = Workplace.in(folder);
    place.write("items.jsonl", Workplace.backlog(Workplace.LEASE, "1"));
    JsonNode first = run(OLDER);
    assertThat(first.path("items").asInt()).isEqualTo(3);
    // One batch, or more if a busy machine spreads the items over time; never one for each snapshot
    // again.
    assertThat(first.path("triageCalls").asInt()).isBetween(1, 3);
    assertThat(completed(first)).isEqualTo(2);
    assertThat(first.path("analyses").asInt()).isEqualTo(2);

    documented("backup");
    Folders.delete(folder.resolve(".flyball"));
    documented("restore");
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    costsNothing(run(OLDER));
    Locale.setDefault(Locale.ROOT);
    assertThat(Program.run(folder, "item", "default/items/1").out()).contains("session.completed");
    costsNothing(run());

    // One item says more; the others have another state, which this version does not look at, and
    // other tags around the same words.
    place.write(
        "items.jsonl",
        Workplace.backlog(Workplace.LEASE + " Seen again today.", "2")
            .replace("Active", "In Review")
            .replace("Parser.parseDuration fails", "<b>Parser.parseDuration</b>  fails"));
    JsonNode edited = run("--set", "gate.load=0.001");
    assertThat(completed(edited)).isEqualTo(1);
    assertThat(edited.path("triageCalls").asInt()).isEqualTo(1);

    Program analysis = Program.run(folder, "analysis", "1");
    assertThat(analysis.out()).contains("src/Ledger.java:").contains("revision 2");
    assertThat(Program.run(folder, "items", "--state", "skipped").out())
        .contains("default/items/3");
    Program audit = Program.run(folder, "audit");
    assertThat(audit.out()).contains("no promise is broken\n", " 3 sessions ended");
    assertThat(audit.err()).contains("its Kafka is started for this audit").hasLineCount(1);
  }

  private JsonNode run(String... more) {
    var command =
        new ArrayList<>(List.of("run", "items.jsonl", "--repo", "repo", "--json", "--cap", "2"));
    command.addAll(List.of(more));
    Program program = Program.run(folder, command.toArray(String[]::new));
    assertThat(program.awaitEnd()).as(program::err).isZero();
    assertThat(program.err().chars().noneMatch(c -> c > 127 && Character.isDigit(c)))
        .as(program::err)
        .isTrue();
    if (List.of(more).contains("gate.load=0.001")) {
      assertThat(program.err()).contains("sessions run one by one while this machine is busy: ");
    }
    JsonNode report = program.json();
    assertThat(
            report.path("invalid").asInt()
                + report.path("duplicates").asInt()
                + report.path("changed").asInt())
        .as("every line is one of invalid, duplicate, changed: " + report)
        .isEqualTo(report.path("lines").asInt());
    assertThat(report.path("maxConcurrent").asInt())
        .as("trees at once, 0 exactly if there was none: " + report)
        .isBetween(Math.min(1, completed(report)), 2);
    return report;
  }

  private static void costsNothing(JsonNode report) {
    assertThat(report.path("triageCalls").asInt()).isZero();
    assertThat(report.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(report.path("duplicates").asInt()).isEqualTo(3);
  }

  private static int completed(JsonNode report) {
    return report.path("sessions").path("completed").asInt();
  }

  /** Runs the block of the page that begins with this comment. */
  private void documented(String name) throws IOException {
    var block =
        Pattern.compile("```sh\n# " + name + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(block.find()).as(name).isTrue();
    new Shell(folder).run("sh", "-ec", block.group(1));
  }
}
