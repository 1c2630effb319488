package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.launch.ProjectionFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the reading commands say when a service runs, and when none does any more. */
final class AnswersTest {
  /** With nine digits, as runners' clocks give them. */
  private static final Instant KILLED = Instant.parse("2026-02-10T08:00:40.123456789Z");

  @TempDir Path data;

  @AutoClose private ProjectionFixture projection;

  @BeforeEach
  void aSessionRunsAndAnItemWasSkipped() {
    projection =
        new ProjectionFixture(data)
            .item("default/items/1", "running", "session s1 on r1", KILLED)
            .item("default/items/2", "skipped", "too vague", null);
  }

  private void runs() {
    Instant now = Instant.now();
    projection
        .asOf(now)
        .live("s1", "default/items/1", now.minusSeconds(40), now.minusSeconds(3), 0);
  }

  @Test
  void whileAServiceRunsAnswersAreNotCalledOld() {
    runs();

    Answer ps = answer("ps");

    assertThat(ps.err()).isEmpty();
    assertThat(ps.out())
        .containsPattern("\t4[0-4]s/10m\t[3-7]s ago\t5\t0\\.00\tA title\t42\ts1\tr1\n");
    assertThat(answer("status").out()).contains("1 of ", "\nitems: 1 running, 1 skipped\n");
    assertThat(answer("top").out())
        .as("it is ps when piped")
        .startsWith("item\tprocesses\telapsed\t")
        .contains("\ndefault/items/1\t2\t");
    assertThat(answer("top", "--json").out()).startsWith("[{\"session\":\"s1\"");
  }

  @Test
  void psAfterAKillSaysHowOldItsAnswerIsAndMeasuresToThatMoment() {
    projection
        .asOf(KILLED)
        .live("s1", "default/items/1", KILLED.minusSeconds(30), KILLED.minusSeconds(7), 0)
        .live("s2", "default/items/3", KILLED.minusSeconds(29), KILLED.minusSeconds(125), 1);

    Answer ps = answer("ps");

    assertThat(ps.code()).isZero();
    assertThat(ps.err())
        .startsWith("flyball: as of 2026-02-10T08:00:40Z, ")
        .containsPattern(" [0-9]+d [0-9]+h ago: ")
        .contains("./flyball up")
        .hasLineCount(1);
    assertThat(ps.out().lines())
        .contains(
            "default/items/1\t2\t30s/10m\t7s ago\t5\t0.00\tA title\t42\ts1\tr1",
            "default/items/3\t2\t29s/10m\thung 2m 5s\t5\t0.00\t\t42\ts2\tr1");
  }

  @Test
  void openPrintsWhereThePageOfTheConsoleOrOfAnItemIs() {
    projection.asOf(KILLED);

    assertThat(answer("open").out()).isEqualTo("http://127.0.0.1:8321\n");
    assertThat(answer("open", "1").out())
        .isEqualTo("http://127.0.0.1:8321/item?key=default%2Fitems%2F1\n");
    assertThat(answer("open", "--set", "console.url=https://flyball.example").out())
        .isEqualTo("https://flyball.example\n");
    assertThat(answer("open", "--set", "console.listen=127.0.0.1:0").err()).contains("ready line");
  }

  @Test
  void jsonIsOneSeparateReadableLine() {
    projection
        .asOf(KILLED)
        .live("s1", "default/items/1", KILLED.minusSeconds(30), KILLED.minusSeconds(7), 0);

    Answer ps = answer("ps", "--json");

    assertThat(ps.out()).hasLineCount(1);
    assertThat(RecordJson.parse(ps.out().strip()).path(0).path("progressAt").asText())
        .isEqualTo("2026-02-10T08:00:33.123Z");
    assertThat(ps.err()).contains("as of 2026-02-10T08:00:40Z").hasLineCount(1);
  }

  @Test
  void anOldListIsCalledOldAndAnItemOnlyIfItIsUnfinished() {
    projection.asOf(KILLED);

    assertThat(answer("items").err()).contains("as of 2026-02-10T08:00:40Z").hasLineCount(1);
    assertThat(answer("item", "1").err()).contains("as of ").hasLineCount(1);
    assertThat(answer("items", "--state", "skipped").err()).contains("as of ").hasLineCount(1);
    assertThat(answer("item", "2").err()).isEmpty();
  }

  @Test
  void anAnswerOfADeadConsoleIsOldImmediately() throws IOException {
    projection.asOf(Instant.now());
    assertThat(answer("items").err()).isEmpty();

    Identity own = Identity.own();
    Files.writeString(
        data.resolve("console/flyball.lock"),
        RecordJson.write(new Identity(own.pid(), 1, own.bootId(), own.pidNamespace())));

    assertThat(answer("items").err()).contains("s ago: no service updates ").hasLineCount(1);
  }

  @Test
  void anItemThatIsPipedSaysWhereItStandsToo() {
    projection.asOf(KILLED);

    assertThat(answer("item", "2").out().lines())
        .containsExactly(
            "time\tevent\tsession\tdetail", "1970-01-01T00:00:00Z\tnow\t\tskipped: too vague");
  }

  @Test
  void aProjectionThatNeverHeardOfAnythingSaysSo() {
    assertThat(answer("ps").err()).startsWith("flyball: nothing was read from Kafka yet: ");
  }

  @Test
  void aMissingAnalysisSaysWhereItsItemStands() {
    projection.asOf(KILLED);

    fails(1, "no analysis of default/items/2: it is skipped (too vague)", "analysis", "2");
    assertThat(answer("analysis", "1").err())
        .startsWith("flyball: as of ")
        .endsWith("flyball: no analysis of default/items/1: it is running (session s1 on r1)\n");
  }

  @Test
  void anIdIsFoundHoweverManyItemsHaveItSomewhereInTheirKeysOrTitles() {
    for (int n = 100; n <= 300; n++) {
      projection.item("default/items/" + n + "-1", "new", "", null);
    }
    projection.item("other/items/1", "new", "", null);

    Answer one = answer("item", "300-1");
    assertThat(one.code()).as(one.err()).isZero();
    fails(
        2,
        "several items have the id 1: default/items/1, other/items/1; give the whole key",
        "item",
        "1");
  }

  @Test
  void itemsSaysHowManyItDidNotPrint() {
    projection.item("default/items/3", "new", "", null);

    Answer two = answer("items", "--limit", "2");
    assertThat(two.out()).hasLineCount(3);
    assertThat(two.err()).contains("flyball: 1 more items; print all with --limit 3\n");
    Answer all = answer("items", "--limit", "3");
    assertThat(all.out()).hasLineCount(4);
    assertThat(all.err()).doesNotContain("more");
    assertThat(answer("items", "--state", "skipped", "--limit", "1").err()).doesNotContain("more");
  }

  @Test
  void whyGivesTheLedgersReasonAndTheFix() {
    Instant now = Instant.now();
    var verdict = Sample.verdict();
    var outstanding =
        new ItemPhase.Outstanding(
            "q3", ItemPhase.Attempts.FIRST, now, null, new Route("default", "rule 1", null));
    var init = new LedgerEntry.Init(3, 45_000, List.of());
    var runner = new LedgerEntry.Runner("r1", 1, "A", 4, null, null, null, null);
    projection
        .asOf(now)
        .item("default/items/3", "queued", "clear", now)
        .state("default/items/3", new ItemPhase.Queued(outstanding, verdict))
        .state("default/items/2", new ItemPhase.Skipped("too vague"))
        .ledger(init, runner, new LedgerEntry.Pause("tenant:default", null, -1, "ann", "release"));

    Answer why = answer("why", "3");

    assertThat(why.code()).isZero();
    assertThat(why.err()).isEmpty();
    assertThat(why.out().lines())
        .containsExactly(
            "default/items/3  A title",
            "It is queued: tenant:default paused by ann: release (paused).",
            "Fix: ./flyball resume --scope tenant:default",
            "Agent: default, by rule 1.");
    var budget = new LedgerEntry.Budget("tenant:default", new Limits(null, 1L), -1, "ann", "less");
    projection.ledger(init, runner, budget, new LedgerEntry.Spend("default", "t1", 0, 1));
    assertThat(answer("why", "3").out())
        .contains(
            "It is queued: budget of tenant:default: 1 of 1 tokens a day (budget).\n",
            "Fix: ./flyball budget --scope tenant:default raises it; it resets at midnight UTC\n");
    assertThat(answer("why", "2").out())
        .isEqualTo(
            """
            default/items/2  A title
            It is skipped: too vague (settled).
            Fix: ./flyball retry default/items/2
            """);
    assertThat(answer("why", "default/items/2", "--json").out())
        .isEqualTo(
            "{\"item\":\"default/items/2\",\"title\":\"A title\",\"state\":\"skipped\","
                + "\"reasons\":[{\"reason\":\"settled\",\"detail\":\"skipped: too vague\"}]}\n");
  }

  @Test
  void aSessionIsMeantByTheBeginningOfItsIdOrByItsItem() {
    Instant now = Instant.now();
    projection
        .asOf(now)
        .live("5a1", "default/items/1", now, now, 0)
        .live("5b2", "default/items/3", now, now, 0);

    for (String known : new String[] {"5a", "5a1", "1", "default/items/1"}) {
      fails(1, "no service runs in " + data, "logs", known);
    }
    fails(2, "several sessions begin with '5'", "logs", "5");
    fails(1, "default/items/2 has had no session", "logs", "2");
    fails(1, "no session 'nothing'; give an item", "logs", "nothing");
  }

  @Test
  void everyStateCanBeAskedFor() {
    JsonSubTypes words = Objects.requireNonNull(ItemPhase.class.getAnnotation(JsonSubTypes.class));

    assertThat(ItemFilter.STATES)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(words.value()).map(JsonSubTypes.Type::name).toList());
  }

  /** It prints one line on standard error, which begins so, and nothing else. */
  private void fails(int code, String line, String... words) {
    Answer answer = answer(words[0], words[1]);
    assertThat(answer.code()).isEqualTo(code);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err()).startsWith("flyball: " + line).hasLineCount(1);
  }

  private Answer answer(String command, String... more) {
    return flyball(
        Stream.concat(Stream.of(command, "--data", data.toString()), Stream.of(more))
            .toArray(String[]::new));
  }
}
