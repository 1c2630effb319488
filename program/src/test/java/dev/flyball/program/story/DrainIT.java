package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code sessions.drain} is kept, also where it is longer than any other limit of a stop. With
 * {@code -Dflyball.drain=60} agents run 40 s and 90 s.
 */
@Tag("long")
@DisplayName("A runner that is stopped lets its sessions go on")
final class DrainIT {
  private static final int DRAIN = Integer.getInteger("flyball.drain", 18);

  /** Without a drain a stop takes at most this long. */
  private static final Duration STOP = Duration.ofSeconds(14);

  private static final String AGENT =
      """
      #!/bin/sh
      if grep -q 'argument 1,'; then sleep %s; else sleep %s; fi
      echo "Main.java line 1 is the cause"
      """
          .formatted(DRAIN * 3 / 2, DRAIN * 2 / 3 + DRAIN % 3);

  @Test
  void untilTheyEndOrTheDrainIsOver(@TempDir Path folder) throws IOException {
    var place = workplace(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      configure(place, broker.bootstrapServers(), DRAIN + "s");
      cluster.start(1);
      Cluster.awaitLive(sampler, 2);
      Program runner = cluster.runners.getFirst();

      long stopped = System.nanoTime();
      runner.signal("TERM");
      assertThat(runner.awaitExit(Duration.ofSeconds(DRAIN).plusMinutes(1))).isZero();
      Duration took = Duration.ofNanos(System.nanoTime() - stopped);

      System.out.printf("drain of %s s: the runner ended %s after TERM%n", DRAIN, took);
      assertThat(took).isBetween(Duration.ofSeconds(DRAIN), STOP.plusSeconds(DRAIN));
      assertThat(outcomes(broker.bootstrapServers()))
          .as("the short one completed, the long one was interrupted")
          .isEqualTo(
              Map.of(
                  "default/backlog/0", EventType.SESSION_COMPLETED,
                  "default/backlog/1", EventType.SESSION_INTERRUPTED));
    }
    assertThat(place.live()).isEmpty();
  }

  @Test
  void untilASecondSignal(@TempDir Path folder) throws IOException {
    var place = workplace(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      configure(place, broker.bootstrapServers(), "10m");
      cluster.start(1);
      Cluster.awaitLive(sampler, 2);
      Program runner = cluster.runners.getFirst();

      runner.signal("TERM");
      awaitDraining(broker.bootstrapServers());
      runner.signal("INT");
      assertThat(runner.awaitExit(STOP.plusSeconds(10)))
          .as("the first signal is the reason of the stop")
          .isZero();

      assertThat(outcomes(broker.bootstrapServers()).values())
          .containsOnly(EventType.SESSION_INTERRUPTED);
    }
    assertThat(place.live()).isEmpty();
  }

  /** Without it the JVM, which handles each signal on its own thread, may take either first. */
  private static void awaitDraining(String kafka) {
    await("the runner's entry says that it drains")
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            LedgerAudit.of(kafka).state.runners().stream()
                .anyMatch(runner -> "draining".equals(runner.refusing())));
  }

  private static Workplace workplace(Path folder) {
    var place = Workplace.in(folder, AGENT);
    place.add(0, 1);
    place.add(1, 1);
    return place;
  }

  private static void configure(Workplace place, String kafka, String drain) throws IOException {
    // Clocks that no busy machine can overrun: a fence would end a session before its time.
    place.configure(Workplace.kafka(kafka), 2, new Workplace.Clocks("45s", "5s", "10s"));
    String yaml = Files.readString(place.home.resolve("flyball.yaml"));
    place.write("flyball.yaml", yaml.replace("grace: 500ms", "grace: 500ms, drain: " + drain));
  }

  /** The terminal of each item's only session, once both are written. */
  private static Map<String, EventType> outcomes(String kafka) {
    var last = new LedgerAudit[] {LedgerAudit.of(kafka)};
    await("both terminals")
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          last[0] = LedgerAudit.of(kafka);
          return last[0].claims.size() == 2 && last[0].claimsWithoutExactlyOneTerminal().isEmpty();
        });
    return last[0].events.stream()
        .filter(event -> event.type().terminal())
        .collect(
            Collectors.toMap(
                event -> last[0].itemOf(event.data().text(Field.SESSION).orElseThrow()),
                LifecycleEvent::type));
  }
}
