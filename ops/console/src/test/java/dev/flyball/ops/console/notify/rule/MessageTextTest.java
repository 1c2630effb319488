package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
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
    String slack = text.slack(hostile).at("/blocks/0/text/text").asText();
    assertThat(slack).contains("&lt;!here&gt;", "&lt;script&gt;").doesNotContain("<!", "<s");
    assertThat(text.slack(hostile).at("/blocks/0/text/verbatim").asBoolean()).isTrue();
    assertThat(text.slack(hostile).at("/text").asText()).doesNotContain("<");
    for (JsonNode block : text.teams(hostile).at("/attachments/0/content/body")) {
      assertThat(block.path("type").asText()).isEqualTo("RichTextBlock");
    }
    assertThat(RecordJson.bytes(text.webhook(hostile))).isNotEmpty();
  }

  @Test
  void aMegabyteOfCombiningCharactersIsCut() {
    Notification long1 = notification("x" + "\u0301".repeat(1 << 20), "y".repeat(1 << 20));

    assertThat(long1.title()).hasSize(200);
    assertThat(RecordJson.bytes(text.slack(long1)).length).isLessThan(3_000);
    Notification escapes = notification("&".repeat(1_000), "<".repeat(1_000));
    assertThat(text.slack(escapes).at("/blocks/0/text/text").asText())
        .hasSizeLessThan(3_000)
        .contains("Given up", "acme/web/12");
  }

  @Test
  void aSubjectThatIsHostileBecomesNoAddress() {
    var forged =
        new Notification(
            "e",
            Notification.Kind.DEAD,
            "c",
            "a/b/1|x> <!here>\"&y=1",
            "a",
            "Given up",
            "",
            "",
            Instant.EPOCH);

    assertThat(text.link(forged).orElseThrow()).doesNotContain(">", "<", "|", "\"", "&", " ");
  }

  private static Notification notification(String title, String detail) {
    return new Notification(
        "e-1-dead",
        Notification.Kind.DEAD,
        "Given up",
        "acme/web/12",
        "acme",
        "Given up",
        title,
        detail,
        Instant.parse("2026-11-25T08:00:00Z"));
  }

  private static void golden(String name, JsonNode made) throws IOException {
    String pretty = made.toPrettyString() + "\n";
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(GOLDEN.resolve(name), pretty);
    }
    assertThat(pretty).isEqualTo(Files.readString(GOLDEN.resolve(name)));
  }
}
