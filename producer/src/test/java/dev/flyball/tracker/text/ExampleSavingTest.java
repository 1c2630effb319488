package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * How many characters clean text saves on the example backlog's raw descriptions, as
 * docs/trackers.md states.
 */
@DisplayName("S0-14: clean text saves characters, and the docs say how many")
class ExampleSavingTest {
  private static final Path ROOT = Path.of("..");
  private static final int LIMIT = 16 * 1024;

  @Test
  void theSavingIsPrintedForEachItemAndTheDocsHaveTheTotal() throws IOException {
    var descriptions = new LinkedHashMap<String, String>();
    for (String line : Files.readAllLines(ROOT.resolve("examples/work-items.jsonl"))) {
      JsonNode item = RecordJson.parse(line);
      descriptions.put(item.path("id").asText(), item.path("description").asText());
    }
    var all = new Sum();
    var markup = new Sum();
    System.out.println("item raw clean saved");
    descriptions.forEach((id, raw) -> {
      String clean = CleanText.of(raw);
      var one = new Sum();
      one.add(raw, Bounded.text(clean, LIMIT));
      all.add(raw, Bounded.text(clean, LIMIT));
      if (HtmlSigns.hasTags(raw) && raw.length() < LIMIT) {
        markup.add(raw, clean);
      }
      System.out.println(id + " " + one);
    });
    System.out.println("all " + all);
    System.out.println("HTML below 16 KiB " + markup);

    assertThat(Files.readString(ROOT.resolve("docs/trackers.md")))
        .as("docs/trackers.md has the figures of this code and these examples")
        .contains("| all | " + all.row() + " |", "| HTML below 16 KiB | " + markup.row() + " |");
  }

  /** Characters before and after. */
  private static final class Sum {
    private int items;
    private long raw;
    private long clean;

    void add(String before, String after) {
      items++;
      raw += before.length();
      clean += after.length();
    }

    String row() {
      return items + " | " + raw + " | " + clean + " | " + saved();
    }

    private String saved() {
      return String.format(Locale.ROOT, "%.0f %%", raw == 0 ? 0 : 100.0 * (raw - clean) / raw);
    }

    @Override
    public String toString() {
      return raw + " " + clean + " " + saved();
    }
  }
}
