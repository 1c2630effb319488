package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rewrites the golden files with {@code -Ddocs=write}. */
class MessageTextTest {
  private static final Path GOLDEN = Path.of("src/test/resources/notify");
  private static final String HOSTILE =
      "a\r\n"
          + "Bcc: x@evil.example\u001b[31m<script>alert(1)</script> <!here> @channel [x](http://e)"
          + " & \u202e\u009b31m\ud800 \u2028{{title}}";

  private final MessageText text = new MessageText("https://flyball.example");

  @Test
  void eachFormatIsAsItsReceiverExpectsIt() throws IOException {
    Notification dead = notification("Search <b>fails</b> & hangs", "3 attempts: timedOut");

    golden("slack.json", text.slack(dead));
    golden("teams.json", text.teams(dead));
    golden("webhook.json", text.webhook(dead));
  }

  @Test
  void aHostileTitleIsOneLineOfPlainTextEverywhere() {
    Notification hostile = notification(HOSTILE, HOSTILE);

    assertThat(hostile.title()).doesNotContainPattern("[\\p{Cc}\\p{Cs}\\u2028\\u202e]");
    JsonNode slack = json(text.slack(hostile));
    for (int block = 1; block < 4; block++) {
      String shown = slack.at("/blocks/" + block + "/text/text").asText();
      assertThat(shown).isNotEmpty().doesNotContain("<").hasSizeLessThan(3_000);
      assertThat(slack.at("/blocks/" + block + "/text/verbatim").asBoolean()).isTrue();
    }
    assertThat(slack.at("/blocks/2/text/text").asText()).contains("&lt;!here&gt;", "&lt;script");
    assertThat(slack.at("/text").asText()).doesNotContain("<");
    for (JsonNode block : json(text.teams(hostile)).at("/attachments/0/content/body")) {
      assertThat(block.path("type").asText()).isEqualTo("RichTextBlock");
    }
    assertThat(RecordJson.bytes(text.webhook(hostile))).isNotEmpty();
  }

  @Test
  void aMegabyteIsCut() {
    Notification large = notification("x" + "\u0301".repeat(1 << 20), "<".repeat(1 << 20));

    assertThat(large.title()).hasSize(200);
    assertThat(json(text.slack(large)).at("/blocks/3/text/text").asText()).hasSizeLessThan(3_000);
  }

  @Test
  void aSubjectThatIsHostileBecomesNoAddress() {
    var forged =
        new Notification(
            "e", Kind.DEAD, "c", "a/b/1|x> <!here>\"&y=1", "a", "Given up", "", "", Instant.EPOCH);

    assertThat(text.link(forged)).isNotEmpty().doesNotContain(">", "<", "|", "\"", "&", " ");
  }

  private static Notification notification(String title, String detail) {
    return new Notification(
        "e-1-dead",
        Kind.DEAD,
        "Given up",
        "acme/web/12",
        "acme",
        "Given up",
        title,
        detail,
        Instant.parse("2026-11-25T08:00:00Z"));
  }

  private static JsonNode json(Map<String, Object> body) {
    return RecordJson.read(RecordJson.bytes(body), JsonNode.class);
  }

  private static void golden(String name, Map<String, Object> body) throws IOException {
    String pretty = json(body).toPrettyString() + "\n";
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(GOLDEN.resolve(name), pretty);
    }
    assertThat(pretty).isEqualTo(Files.readString(GOLDEN.resolve(name)));
  }
}
