package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.MachineLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes a notification, and its text in each format. Rewrites the golden files with {@code
 * -Ddocs=write}.
 */
class NotificationTest {
  private static final Instant T = Instant.parse("2026-11-25T08:00:00Z");
  private static final String DISK = "disk";

  private final Notification.OfHealth rules = new Notification.OfHealth();

  @ParameterizedTest
  @CsvSource({
    "ITEM_DEAD_LETTERED, a/b/1, DEAD, a",
    "SESSION_HUNG, a/b/1, HUNG, a",
    "SESSION_COMPLETED, a/b/1, ANALYSIS, a",
    "SESSION_PROGRESSED, a/b/1, TROUBLE, a",
    "BUDGET_EXHAUSTED, -, TROUBLE,",
  })
  void eachEventHasItsKindAndTenant(
      EventType type, String subject, Kind kind, @Nullable String tenant) {
    assertThat(of(type, subject, EventData.EMPTY.with(Field.REASON, "70 processes")))
        .extracting(
            Notification::id, Notification::kind, Notification::tenant, Notification::detail)
        .containsExactly(tuple("id-1-" + kind.label(), kind, tenant, "70 processes"));
  }

  @ParameterizedTest
  @EnumSource(
      value = EventType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ITEM_DEAD_LETTERED", "SESSION_HUNG", "SESSION_COMPLETED", "BUDGET_EXHAUSTED"})
  void otherEventsLeadToNothing(EventType type) {
    assertThat(of(type, "a/b/1", EventData.EMPTY.with(Field.SURVIVORS, 0))).isEmpty();
  }

  @Test
  void survivorsAreTroubleEvenBesideAMalformedReceipt() {
    var two = EventData.EMPTY.with(Field.SURVIVORS, 2).with(Field.SESSION, "s-1");

    for (EventData data : List.of(two, two.with(Field.RECEIPT, "torn"))) {
      Notification made = of(EventType.SESSION_LOST, "a/b/1", data).getFirst();
      assertThat(made.kind()).isEqualTo(Kind.TROUBLE);
      assertThat(made.detail()).startsWith("2 alive after session s-1");
    }
  }

  @Test
  void aSpentBudgetNamesItsScopeAndTenant() {
    Notification spent =
        of(EventType.BUDGET_EXHAUSTED, "-", EventData.EMPTY.with(Field.SCOPE, "tenant:acme"))
            .getFirst();

    assertThat(spent.subject()).isEqualTo("tenant:acme");
    assertThat(spent.tenant()).isEqualTo("acme");
  }

  @Test
  void aConditionThatLastsIsSentOnceUntilItEndsWhateverItsText() {
    assertThat(at(0, "strays")).isEmpty();
    assertThat(at(59, "strays")).isEmpty();
    assertThat(at(60, "strays"))
        .extracting(Notification::kind, Notification::detail, Notification::tenant)
        .containsExactly(tuple(Kind.TROUBLE, "strays at 60", null));
    assertThat(at(65, "strays")).isEmpty();

    assertThat(at(70)).isEmpty();
    at(80, "strays");
    assertThat(at(139, "strays")).isEmpty();
    assertThat(at(140, "strays")).hasSize(1);
  }

  @Test
  void eachConditionIsANotificationOfItsOwn() {
    at(0, "strays", "gate");
    assertThat(at(60, "strays", "gate"))
        .extracting(Notification::key)
        .doesNotHaveDuplicates()
        .hasSize(2);
    at(100, "strays", DISK);

    assertThat(at(160, "strays", DISK))
        .extracting(Notification::detail)
        .containsExactly("disk at 160");
  }

  @Test
  void aBrokenInvariantIsSentImmediatelyAndOnce() {
    assertThat(at(0, BrokenInvariant.CODE))
        .extracting(Notification::headline)
        .containsExactly("Invariant is broken");
    assertThat(at(60, BrokenInvariant.CODE)).isEmpty();
  }

  @Test
  void aProcessThatStartsIsNoTrouble() {
    HealthReport starting = report(Health.starting("runner is starting"));
    rules.news(starting, T);

    assertThat(rules.news(starting, T.plusSeconds(600))).isEmpty();
  }

  private List<Notification> at(int second, String... codes) {
    var conditions =
        Stream.of(codes).map(code -> new Health.Condition(code, code + " at " + second)).toList();
    return rules.news(report(Health.degraded(conditions)), T.plusSeconds(second));
  }

  private static HealthReport report(Health health) {
    return HealthReport.of(health, 0, 0, new MachineLoad(List.of(0.1, 0.1, 0.1), 2), 0);
  }

  private static List<Notification> of(EventType type, String subject, EventData data) {
    return Notification.of(new LifecycleEvent("id-1", type, "/triage", subject, T, data));
  }

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
