package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two pools over one Kafka: the cap of each, and INV-2 and INV-6 while a tenant moves. */
@Tag("long")
@DisplayName("Pools: a ledger and a cap for each, and one session of an item over all of them")
final class PoolsIT {
  private static final int ITEMS = 12;
  private static final String POOLS = "pools: [{name: big, tenants: [acme], cap: 2}]";
  private static final Topics TOPICS =
      new Topics("flyball.", new Pools(Map.of("big", Set.of("acme"))), Pools.DEFAULT);

  /** So long that no pause of this machine ends a session: a second attempt is then a defect. */
  private static final Workplace.Clocks CLOCKS = new Workplace.Clocks("60s", "1s", "5s");

  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      while [ -e "$HOME/wait" ]; do sleep 0.1; done
      sleep 1.5
      echo "Main.java line 1 is the cause"
      """;

  @TempDir Path folder;
  private final List<Program> roles = new ArrayList<>();
  private Workplace place;
  private BrokerProcess broker;
  private SessionSampler sampler;

  @BeforeEach
  void aBroker() {
    place = Workplace.in(folder, AGENT);
    items("acme", 0);
    items("other", 0);
    broker = BrokerProcess.start(folder.resolve("kafka"));
    sampler = SessionSampler.of(place);
  }

  @AfterEach
  void end() {
    sampler.close();
    roles.forEach(Program::close);
    broker.close();
  }

  @Test
  void eachPoolKeepsItsCap() {
    items("acme", ITEMS);
    items("other", ITEMS);
    configure(POOLS);
    start("triage", "triage");
    start("runner", "runner-0");
    start("runner", "runner-1", "--set", "runner.pool=big");
    start("producer", "producer");

    LedgerAudit audit = settled(2 * ITEMS);

    assertThat(sampler.mostOf(session -> audit.ledgerOf.getOrDefault(session, "unclaimed")))
        .as("INV-1 of the larger pool")
        .isEqualTo(2);
    assertThat(sampler.most()).as("both pools were busy at the same time").isEqualTo(3);
    assertThat(ledgersOf(audit, "acme")).containsExactly("flyball.session-ledger-big");
    assertThat(ledgersOf(audit, "other")).containsExactly("flyball.session-ledger");
    assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
  }

  @Test
  void anItemHasOneSessionOverAllPoolsWhileItsTenantMoves() throws Exception {
    items("acme", ITEMS);
    configure("");
    // The first session lasts until the tenant has moved, so that both pools have work of it.
    place.write("wait", "");
    Program triage = start("triage", "triage");
    start("runner", "runner-0");
    start("producer", "producer");
    Cluster.awaitLive(sampler, 1);

    // The old runner is not restarted: it still takes the tenant for one of its pool.
    configure(POOLS);
    start("runner", "runner-1", "--set", "runner.pool=big");
    triage.signal("TERM");
    assertThat(triage.awaitExit(Duration.ofMinutes(1))).as(triage::err).isZero();
    start("triage", "triage");
    Files.delete(place.home.resolve("wait"));
    LedgerAudit audit = settled(ITEMS);

    assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isEqualTo(1);
    assertThat(audit.claims.values())
        .as(() -> "no item ran twice: " + audit.terminals)
        .hasSize(ITEMS);
    assertThat(ledgersOf(audit, "acme"))
        .containsExactlyInAnyOrder("flyball.session-ledger", "flyball.session-ledger-big");
    assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
  }

  private void configure(String pools) {
    place.write(
        "flyball.yaml",
        """
        cap: 1
        %s
        %s
        sources:
          - {name: items, tenant: acme, type: jsonl, path: acme.jsonl, interval: 1s}
          - {name: items, tenant: other, type: jsonl, path: other.jsonl, interval: 1s}
        ledger: {lease: %s, renew: %s, margin: %s}
        sessions: {agent: "command:%s", repo: "%s", slots: 4, stagger: 25ms, grace: 500ms, back-off: 1s}
        gate: {load: 1000, pressure: 100, memory: 16MB}
        triage: {batch: {items: 50, linger: 200ms}}
        """
            .formatted(
                pools,
                Workplace.kafka(broker.bootstrapServers()),
                CLOCKS.lease(),
                CLOCKS.renew(),
                CLOCKS.margin(),
                place.agent(),
                place.repository()));
  }

  private void items(String tenant, int count) {
    var lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(Workplace.item(i, 1));
    }
    place.write(tenant + ".jsonl", lines.toString());
  }

  private Program start(String role, String data, String... further) {
    var words = new ArrayList<>(List.of(role, "--data", data));
    words.addAll(List.of(further));
    Program program = Program.start(place.home, words.toArray(String[]::new));
    roles.add(program);
    return program.awaitReady();
  }

  private LedgerAudit settled(int items) {
    var last = new LedgerAudit[1];
    await("every item settled")
        .atMost(LIMIT)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          last[0] = LedgerAudit.of(broker.bootstrapServers(), TOPICS);
          return last[0].settled(items);
        });
    return last[0];
  }

  private static Set<String> ledgersOf(LedgerAudit audit, String tenant) {
    return audit.claims.entrySet().stream()
        .filter(claim -> claim.getValue().item().tenant().equals(tenant))
        .map(claim -> audit.ledgerOf.getOrDefault(claim.getKey(), ""))
        .collect(Collectors.toSet());
  }
}
