package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a runner holds does not grow with the sessions that it has run (S4-2, S4-7, S4-12, S4-16,
 * S4-17, S4-18): its fourth quarter beside its second, in memory, descriptors, threads, zombies,
 * files and journal. {@code -Dsoak.sessions=2000} for more.
 */
@Tag("long")
final class SoakIT {
  private static final int SESSIONS = Integer.getInteger("soak.sessions", 240);
  private static final int READINGS = 16;
  private static final int CAP = 4;

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      sleep 600 &
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void aRunnerHoldsNoMoreAfterManySessionsThanAfterFew(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    place.write("tmp/.keep", "");
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(
          Workplace.kafka(broker.bootstrapServers()),
          CAP,
          new Workplace.Clocks("45s", "10s", "10s"));
      Program runner =
          Program.start(
              place.home,
              Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + folder.resolve("tmp")),
              "runner",
              "--data",
              "soaked");
      try (runner) {
        cluster.start(0);
        runner.awaitReady();
        List<Holdings> readings = soak(place, broker.bootstrapServers(), runner);
        readings.forEach(each -> System.out.println("soak: " + each));
        assertFlat(readings);
      }
    }
    assertThat(place.live()).as("stray processes").isEmpty();
  }

  /** In as many waves as there are readings; each is taken when nothing runs. */
  private static List<Holdings> soak(Workplace place, String bootstrapServers, Program runner) {
    var readings = new ArrayList<Holdings>();
    int items = 0;
    try (var ended = new Ended(bootstrapServers)) {
      for (int wave = 1; wave <= READINGS; wave++) {
        int until = SESSIONS * wave / READINGS;
        while (items < until) {
          place.add(items++, 1);
        }
        await("session " + items)
            .atMost(Duration.ofMinutes(5))
            .pollInterval(Duration.ofMillis(100))
            .until(() -> ended.sessions() >= until);
        assertThat(ended.count(EventType.SESSION_COMPLETED)).as("completed").isEqualTo(until);
        await("no process of a session lives, none is left unreaped, no file of theirs lies about")
            .atMost(Duration.ofSeconds(30))
            .until(() -> {
              Holdings now = holdings(until, runner, place);
              boolean idle = place.live().isEmpty() && now.zombies() == 0 && now.temporary() == 0;
              if (idle) {
                readings.add(now);
              }
              return idle;
            });
      }
    }
    return readings;
  }

  private static Holdings holdings(int sessions, Program runner, Workplace place) {
    return Holdings.of(
        sessions, runner, place.home.resolve("soaked/runner"), place.home.resolve("tmp"));
  }

  private static void assertFlat(List<Holdings> readings) {
    flat("resident memory, KB", readings, Holdings::residentKb, 1.05, 6_000);
    flat("file descriptors", readings, Holdings::descriptors, 1.1, 4);
    flat("threads", readings, Holdings::threads, 1.1, 4);
    flat("files in its folders", readings, Holdings::files, 1.1, 2);
    flat("journal, KB", readings, Holdings::journalKb, 1.2, 4_500);
    assertThat(readings)
        .as("rows of the journal: the newest thousand, and what ended in the last 5 s")
        .allMatch(each -> each.journalRows() <= 1_600);
  }

  private static void flat(
      String what, List<Holdings> readings, ToLongFunction<Holdings> of, double ratio, long slack) {
    double second = mean(readings.subList(READINGS / 4, READINGS / 2), of);
    double last = mean(readings.subList(READINGS * 3 / 4, READINGS), of);
    System.out.printf("soak: %s: second quarter %.0f, last quarter %.0f%n", what, second, last);
    assertThat(last).as(what).isLessThanOrEqualTo(second * ratio + slack);
  }

  private static double mean(List<Holdings> readings, ToLongFunction<Holdings> of) {
    return readings.stream().mapToLong(of).average().orElseThrow();
  }
}
