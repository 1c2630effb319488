package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.launch.ProjectionFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reading commands answer the same over HTTP as from the data folder. */
@Timeout(60)
final class RemoteConsoleTest {
  private static final String TOKEN = "a-token-of-some-length";
  private static final String TOKEN_OF_OTHER = "a-token-of-the-tenant-other";
  private static final Instant AT = Instant.parse("2026-11-22T10:00:00Z");

  @TempDir static Path data;
  @AutoClose private static ProjectionFixture projection;
  @AutoClose private static AdminServer server;

  @BeforeAll
  static void aConsoleWithAnItem() {
    Instant now = Instant.now();
    projection =
        new ProjectionFixture(data)
            .item("default/items/1", "running", "session s1 on r1", now)
            .item("default/items/2", "skipped", "too vague", null)
            .item("other/items/2", "skipped", "too vague", null)
            .item("default/items/3", "queued", "", now)
            .state("default/items/1", new ItemPhase.New())
            .state("default/items/3", queued())
            .ledger(
                new LedgerEntry.Init(3, 45_000, List.of()),
                new LedgerEntry.Cap("tenant:default", 1, -1, "ann", ""),
                new LedgerEntry.Cap("tenant:other", 2, -1, "ann", ""),
                new LedgerEntry.Budget(
                    "tenant:default", new Limits(1_500_000L, null), 1, "ann", "money"))
            .poll("default/items", "p1", AT)
            .poll("other/items", "p2", AT.plusSeconds(9))
            .deadLetter("default/items/2", 7, AT)
            .deadLetter("other/items/9", 8, AT.plusSeconds(9))
            .live("s1", "default/items/1", now.minusSeconds(40), now.minusSeconds(3), 0);
    var tokens =
        List.of(
            AccessToken.ofPlain("ann", TOKEN, Map.of("*", AccessRole.VIEWER)),
            AccessToken.ofPlain("otto", TOKEN_OF_OTHER, Map.of("other", AccessRole.VIEWER)));
    var access = new ConsoleAccess(tokens, false, InstantSource.system());
    server = projection.serve("127.0.0.1:1", access, Health::healthy);
  }

  @BeforeEach
  void itIsUpToDate() {
    // Ahead: on a busy machine one test takes longer than answers stay current.
    projection = projection.asOf(Instant.now().plusSeconds(60));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "status --json",
        "ps",
        "top",
        "items",
        "items --json",
        "items --limit 1",
        "items --state skipped --tenant other",
        "items none",
        "item 1",
        "item default/items/1 --json",
        "item 2",
        "analysis 1",
        "analysis none/items/1",
        "why 1",
        "why default/items/1 --json",
        "why 3",
        "polls",
        "polls default/items --json",
        "polls --limit 0",
        "dead-letters",
        "cap",
        "budget --scope tenant:default",
        "budget --scope tenant:none",
      })
  void aCommandAnswersTheSameAsFromTheDataFolder(String command) {
    Answer here = flyball(words(command, "--data", data.toString()));
    Answer there = there(TOKEN, command);

    assertThat(there.code()).isEqualTo(here.code());
    assertThat(steady(there.out())).isEqualTo(steady(here.out()));
    assertThat(there.err()).isEqualTo(here.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7"})
  void aNameThatIsEmptyOrUnknownExits1FromEveryCommand(String name) {
    String quoted = "'" + name + "'";
    for (String command : List.of("item", "why", "analysis")) {
      refused(command, name, "no item " + quoted + "; list items with ./flyball items");
    }
    refused(
        "polls", name, "no poll of " + quoted + " is known; list all sources with ./flyball polls");
    refused(
        "logs",
        name,
        "no session "
            + quoted
            + "; give an item, or the first characters of a session id from ./flyball ps or item");
  }

  private static void refused(String command, String name, String line) {
    Answer here = flyball(command, name, "--data", data.toString());
    Answer there =
        flyball(
            Map.of("FLYBALL_CONSOLE", server.url(), "FLYBALL_CONSOLE_TOKEN", TOKEN), command, name);

    assertThat(List.of(here, there)).containsOnly(new Answer(1, "", "flyball: " + line + "\n"));
  }

  @Test
  void pollsAreThoseThatTheConsoleKeeps() {
    assertThat(there(TOKEN, "polls").out().lines())
        .containsExactly(
            "started\ttook\tsource\toutcome\titems\tchanged\tduplicates\tinvalid\treason"
                + "\tpoll",
            "2026-11-22T10:00:09Z\t2000ms\tother/items\tfinished\t4\t3\t2\t1\t\tp2",
            "2026-11-22T10:00:00Z\t2000ms\tdefault/items\tfinished\t4\t3\t2\t1\t\tp1");
    assertThat(there(TOKEN, "polls --limit 1").out()).hasLineCount(2).contains("p2");
    assertThat(there(TOKEN, "polls default/items").out()).hasLineCount(2).contains("p1");
    assertThat(there(TOKEN, "polls items").err()).contains("several sources have the name items");
    assertThat(there(TOKEN_OF_OTHER, "polls").out()).hasLineCount(2).contains("other/items");
    assertThat(there(TOKEN_OF_OTHER, "polls items").out()).hasLineCount(2).contains("other/items");
    assertThat(there(TOKEN_OF_OTHER, "polls default/items").err())
        .isEqualTo(
            "flyball: no poll of 'default/items' is known; list all sources with ./flyball"
                + " polls\n");
  }

  @Test
  void deadLettersAreThoseThatTheConsoleKeepsOldestFirst() {
    String own = "other/items/9\tnot JSON\tflyball.work-items\t1\t8\t2026-11-22T10:00:09Z\t";
    assertThat(there(TOKEN, "dead-letters").out().lines())
        .containsExactly(
            "key\treason\ttopic\tpartition\toffset\ttime\tnow",
            "default/items/2\tnot JSON\tflyball.work-items\t1\t7\t2026-11-22T10:00:00Z\tskipped",
            own);
    assertThat(there(TOKEN, "dead-letters --topic work-items").out()).hasLineCount(3);
    assertThat(there(TOKEN, "dead-letters --topic=analyses").out()).hasLineCount(1);
    assertThat(there(TOKEN_OF_OTHER, "dead-letters --no-headers").out()).isEqualTo(own + "\n");
  }

  @Test
  void capsAndBudgetsAreThoseInForce() {
    assertThat(there(TOKEN, "cap").out().lines())
        .containsExactly(
            "scope\tcap\tlive", "global\t3\t0", "tenant:default\t1\t0", "tenant:other\t2\t0");
    assertThat(there(TOKEN, "cap --scope tenant:default --no-headers").out())
        .isEqualTo("tenant:default\t1\t0\n");
    assertThat(there(TOKEN, "cap --scope tenant:none --no-headers").out())
        .isEqualTo("tenant:none\t\t\n");
    assertThat(there(TOKEN_OF_OTHER, "cap --no-headers").out().lines())
        .as("the sum of all tenants is not shown to a reader of one")
        .containsExactly("global\t3\t", "tenant:other\t2\t0");
    assertThat(there(TOKEN, "budget --no-headers --scope tenant:default").out())
        .isEqualTo("tenant:default\t1.50\t0.00\tnone\t0\n");
    assertThat(there(TOKEN_OF_OTHER, "budget --no-headers --scope tenant:default").out())
        .isEqualTo("tenant:default\t\t\t\t\n");
  }

  @Test
  void aConsoleIsNotChangedByACommandThatReadsIt() {
    Answer cap = there(TOKEN, "cap 2");

    assertThat(cap.code()).isEqualTo(1);
    assertThat(cap.out()).isEmpty();
    assertThat(cap.err())
        .isEqualTo(
            "flyball: cap changes only the Kafka of this machine's data folder, and "
                + server.url()
                + " is a console; use its page or POST /actions/cap, or name the folder with"
                + " --data\n");
    assertThat(there(TOKEN, "cap --remove --scope tenant:default").err())
        .contains("POST /actions/cap");
    Answer global = flyball("cap", "--remove", "--data", data.toString());
    assertThat(global.code()).isEqualTo(2);
    assertThat(global.err())
        .isEqualTo(
            "flyball: --remove: the global cap cannot be removed; set it to a number, or name"
                + " another scope\n");
    assertThat(there(TOKEN, "budget --none").err()).contains("POST /actions/budget");
  }

  private static ItemPhase queued() {
    return new ItemPhase.Queued(
        new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, AT, null, null),
        Sample.verdict());
  }

  private static Answer there(String token, String command) {
    return flyball(
        Map.of("FLYBALL_CONSOLE", server.url(), "FLYBALL_CONSOLE_TOKEN", token), words(command));
  }

  @Test
  void theTokenIsAlsoReadFromAFileAndAMissingOneIsSaidWithTheFix() throws IOException {
    Path file = Files.writeString(data.resolve("token"), TOKEN + "\n");

    Answer items =
        flyball("items", "--console", server.url() + "/", "--console-token-file", file.toString());

    assertThat(items.code()).isZero();
    assertThat(items.out()).contains("default/items/1", "other/items/2");
    assertThat(flyball("ps", "--console", server.url()).err())
        .isEqualTo(
            "flyball: the console at "
                + server.url()
                + "/ accepts no request without a valid token; set FLYBALL_CONSOLE_TOKEN or"
                + " --console-token-file\n");
  }

  @Test
  void anAnswerThatStallsAfterItsHeadIsGivenUp() throws IOException {
    var done = new CountDownLatch(1);
    try (var stalling = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var reader =
            new RemoteReader(
                "http://127.0.0.1:" + stalling.getLocalPort(), null, Duration.ofMillis(300))) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket client = stalling.accept()) {
              client
                  .getOutputStream()
                  .write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[".getBytes(US_ASCII));
              done.await();
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
          });

      assertThatThrownBy(reader::summary)
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("does not answer (no whole answer within");
    } finally {
      done.countDown();
    }
  }

  private static String[] words(String command, String... more) {
    var words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of(more));
    return words.toArray(String[]::new);
  }

  /** Without the seconds that pass between two answers. */
  private static String steady(String out) {
    return out.replaceAll("[0-9]+s(?=[/ ])", "Ns");
  }
}
