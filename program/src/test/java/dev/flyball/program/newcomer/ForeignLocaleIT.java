package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;

/** A whole run where the locale has digits of its own, and its data under another such locale. */
@Tag("long")
final class ForeignLocaleIT {
  @TempDir Path folder;

  @Test
  @DefaultLocale("fa-IR")
  void theSecondRunFindsWhatTheFirstWroteUnderAnotherLocale() {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));

    JsonNode first = run(desk);
    assertThat(first.path("sessions").path("completed").asInt()).isEqualTo(2);
    assertThat(first.path("analyses").asInt()).isEqualTo(2);

    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    JsonNode again = run(desk);
    assertThat(again.path("triageCalls").asInt()).isZero();
    assertThat(again.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(again.path("duplicates").asInt()).isEqualTo(3);

    Locale.setDefault(Locale.ROOT);
    assertThat(Program.run(folder, "item", "default/items/1").out()).contains("session.completed");
    assertThat(run(desk).path("duplicates").asInt()).isEqualTo(3);
  }

  private static JsonNode run(Desk desk) {
    Program program =
        Program.run(desk.folder(), "run", "items.jsonl", "--repo", "repo", "--json", "--cap", "2");
    assertThat(program.awaitEnd()).as(program::err).isZero();
    assertThat(program.err().chars().noneMatch(c -> c > 127 && Character.isDigit(c)))
        .as(program::err)
        .isTrue();
    return program.json();
  }
}
