package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent can do to the embedded Kafka from inside its session. */
@Tag("long")
final class ForgeryIT {
  private static final List<LedgerEntry> FORGED =
      List.of(
          new LedgerEntry.Cap("global", 77, -1, "forger", "forged"),
          new LedgerEntry.Expire("any-session", 1),
          new LedgerEntry.Rules(99),
          Sample.release("own-session"));

  private static final String DENIED = "entry: denied";
  private static final String UNREACHED = "entry: not reached";

  @TempDir Path folder;

  @Test
  void anAgentOfAnotherUserWritesNothingAndCannotReadTheSecret() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    assertThat(said("user: nobody"))
        .containsExactly(DENIED, DENIED, DENIED, DENIED, "secret: unreadable", "network: up");
  }

  @Test
  void anAgentWithoutANetworkReachesNoKafkaWhateverItReads() throws Exception {
    assertThat(said("network: none"))
        .containsExactly(
            UNREACHED, UNREACHED, UNREACHED, UNREACHED, "secret: read", "network: none is up");
  }

  /** The lines of an agent that tries; the ledger is as it was. */
  private List<String> said(String sessions) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    var place = Workplace.in(folder);
    String agent = place.agent("agent.sh", "sh " + folder.resolve("forge.sh") + "\n");
    place.service(sessions + ", agent: \"" + agent + "\"");
    try (Program up = Program.up(folder)) {
      String ledger = Topics.DEFAULT.sessionLedger();
      Path secret = folder.resolve(".flyball/kafka/clients.properties");
      Path entries = folder.resolve("entries");
      Files.write(entries, FORGED.stream().map(RecordJson::write).toList());
      place.write(
          "forge.sh",
          // A hostile agent; it prints what it could do.
          """
          cat > /dev/null
          while read -r entry; do
            said=$(printf %%s "$entry" | sed "s/own-session/$FLYBALL_SESSION/" |
              timeout 20 kcat -P -b %1$s -t %2$s -p 0 -k - -X message.timeout.ms=3000 2>&1) && said=written
            case $said in
              written) echo "entry: written" ;;
              *"opic authorization failed"*) echo "entry: denied" ;;
              *) echo "entry: not reached" ;;
            esac
          done < %4$s
          if grep -q . %3$s; then echo "secret: read"; else echo "secret: unreadable"; fi
          if [ -n "$(ip -o link show up)" ]; then echo "network: up"; else echo "network: none is up"; fi
          """
              .formatted(up.ready("kafka"), ledger, secret, entries));
      place.write(
          "items.jsonl", Workplace.item("1", "Lease expires too early", Workplace.LEASE, "1"));
      KafkaFixture.await()
          .untilAsserted(() -> assertThat(up.json("/api/items?state=analyzed")).hasSize(1));
      JsonNode cap = CommandLineFixture.in(folder, "cap", "--json").json();
      assertThat(cap.get(0).get("cap").asInt()).isEqualTo(3);
      JsonNode analysis = CommandLineFixture.in(folder, "analysis", "1", "--json").json();
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
      return analysis.findValue("text").asText().lines().toList();
    }
  }
}
