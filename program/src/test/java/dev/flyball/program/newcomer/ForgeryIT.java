package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** What an agent can do to the embedded Kafka from inside its session. */
@Tag("long")
final class ForgeryIT {
  private static final List<LedgerEntry> FORGED =
      List.of(
          new LedgerEntry.Cap("global", 77, -1, "forger", "forged"),
          new LedgerEntry.Expire("any-session", 1),
          new LedgerEntry.Rules(99),
          new LedgerEntry.Release(
              ForgerMain.OWN_SESSION,
              Outcome.COMPLETED,
              null,
              null,
              0,
              null,
              Timings.ZERO,
              0,
              0,
              Receipt.notStarted(),
              null));

  private static final String NETWORKED = "network: up";

  @TempDir Path folder;

  @Test
  void anAgentOfAnotherUserWritesNothingAndCannotReadTheSecret() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    assertThat(said("user: nobody"))
        .containsExactly(
            denied(0), denied(1), denied(2), denied(3), "secret: unreadable", NETWORKED);
  }

  @Test
  void anAgentWithoutANetworkReachesNoKafkaWhateverItReads() throws Exception {
    assertThat(said("network: none"))
        .containsExactly(
            unreached(0),
            unreached(1),
            unreached(2),
            unreached(3),
            "secret: read",
            "network: no interface is up");
  }

  private static String unreached(int entry) {
    return "entry " + entry + ": TimeoutException";
  }

  private static String denied(int entry) {
    return "entry " + entry + ": TopicAuthorizationException";
  }

  /** The lines of an agent that tries; the ledger is as it was. */
  private List<String> said(String sessions) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    var desk = new Desk(folder);
    String agent = desk.agent("agent.sh", "sh " + folder.resolve("forge.sh") + "\n");
    desk.service(sessions + ", agent: \"" + agent + "\"");
    try (Program up = Program.up(folder)) {
      String kafka = up.ready("kafka");
      desk.write("forge.sh", "exec " + command(kafka) + "\n");
      desk.write("items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE, "1"));
      KafkaFixture.await()
          .untilAsserted(() ->
              assertThat(Program.run(folder, "items", "--state", "analyzed").out())
                  .hasLineCount(2));
      assertThat(Program.run(folder, "cap", "--json").json().get(0).get("cap").asInt())
          .isEqualTo(3);
      String analysis =
          Program.run(folder, "analysis", "1", "--json").json().findValue("text").asText();
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
      return analysis.lines().toList();
    }
  }

  /** Runs the forger from copies that every user can read. */
  private String command(String kafka) throws IOException, URISyntaxException {
    Path lib = Files.createDirectories(folder.resolve("lib"));
    String name = ForgerMain.class.getName().replace('.', '/') + ".class";
    Path compiled = place(ForgerMain.class).resolve(name);
    Files.createDirectories(lib.resolve(name).getParent());
    Files.copy(compiled, lib.resolve(name));
    for (Class<?> needed : List.of(KafkaProducer.class, Logger.class)) {
      Path jar = place(needed);
      Files.copy(jar, lib.resolve(jar.getFileName().toString()));
    }
    String entries =
        FORGED.stream()
            .map(entry -> "'" + RecordJson.write(entry) + "'")
            .collect(Collectors.joining(" "));
    return Stream.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1 -Xmx64m -cp",
            "'" + lib + ":" + lib + "/*'",
            ForgerMain.class.getName(),
            kafka,
            Topics.DEFAULT.sessionLedger(),
            folder.resolve(".flyball/kafka/clients.properties").toString(),
            entries)
        .collect(Collectors.joining(" "));
  }

  private static Path place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
