package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two tenants of one service, of which one is paused with twice the backlog's limit. {@code
 * -Dbacklog.items=20000} for the default limit.
 */
@Tag("long")
final class NoisyNeighbourIT {
  /** Twice the limit, which is scaled down with them. */
  private static final int ITEMS = Integer.getInteger("backlog.items", 1_000);

  private static final Duration EFFECTIVE = Duration.ofSeconds(2);

  @Test
  @DisplayName("S0-57: a paused tenant's backlog holds up its own polls only, and no closing")
  void theOtherTenantsChangeStartsAndWhatClosesLeaves(@TempDir Path folder) {
    var place = Workplace.in(folder, Workplace.ANSWERS);
    place.write("acme.jsonl", "");
    place.write("zeta.jsonl", "");
    place.write(
        "flyball.yaml",
        """
        cap: 2
        poll: {backlog: %s}
        sources:
          - {name: web, tenant: acme, type: jsonl, path: acme.jsonl, interval: 1s, revisit: 30s}
          - {name: web, tenant: zeta, type: jsonl, path: zeta.jsonl, interval: 1s}
        sessions: {agent: "command:%s", repo: repo}
        gate: {load: 1000, pressure: 100, memory: 16MB}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(ITEMS / 2, folder.resolve("agent.sh")));
    try (Program up = Program.up(folder)) {
      String kafka = up.ready("kafka");
      Program pause =
          Program.run(folder, "pause", "--scope", "tenant:acme", "--bootstrap-servers", kafka);
      assertThat(pause.awaitEnd()).as(pause::err).isZero();
      place.write("acme.jsonl", items(""));
      await().until(() -> waiting(kafka).size() == ITEMS);

      String closed = Workplace.item(0, 1).replace("Active", "Closed");
      place.write("acme.jsonl", items(closed + Workplace.item(ITEMS, 1)));
      await().until(() -> !events(kafka, EventType.POLL_SKIPPED, "acme/web").isEmpty());
      place.write("zeta.jsonl", Workplace.item(1, 1));
      await().until(() -> !events(kafka, EventType.SESSION_CLAIMED, "zeta/web/1").isEmpty());

      LifecycleEvent polled =
          events(kafka, EventType.POLL_FINISHED, "zeta/web").stream()
              .filter(event -> event.data().number(Field.CHANGED).orElse(0) > 0)
              .findFirst()
              .orElseThrow();
      LifecycleEvent claimed = events(kafka, EventType.SESSION_CLAIMED, "zeta/web/1").getFirst();
      Duration took = Duration.between(polled.time(), claimed.time());
      System.out.printf("noisy neighbour: from poll to claim %s%n", took);
      assertThat(took).isLessThan(EFFECTIVE);
      await().until(() -> !waiting(kafka).contains("acme/web/0"));
      assertThat(waiting(kafka)).as("nothing new of a source above its share").hasSize(ITEMS - 1);
    }
  }

  /** All items of the paused tenant, and lines after them. */
  private static String items(String more) {
    return IntStream.range(0, ITEMS)
            .mapToObj(id -> Workplace.item(id, 1))
            .collect(Collectors.joining())
        + more;
  }

  /** The paused tenant's items whose requests wait. */
  private static Set<String> waiting(String kafka) {
    var waiting = new HashSet<String>();
    for (var request : LedgerAudit.readAll(kafka, Topics.DEFAULT.sessionRequests())) {
      String key = request.key();
      if (!key.startsWith("acme/")) {
        continue;
      }
      if (request.value() == null) {
        waiting.remove(key);
      } else {
        waiting.add(key);
      }
    }
    return waiting;
  }

  private static List<LifecycleEvent> events(String kafka, EventType type, String subject) {
    return LedgerAudit.events(kafka).stream()
        .filter(event -> event.type() == type && event.subject().equals(subject))
        .toList();
  }

  private static ConditionFactory await() {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(120 + ITEMS / 40))
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptions();
  }
}
