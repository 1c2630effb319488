package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.FreePort;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("Every service that starts before its broker waits for it")
final class BrokerWaitIT {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void aliveAndNotReadyMeanwhile(@TempDir Path folder) {
    var place = Workplace.in(folder, Workplace.ANSWERS);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"))) {
      String kafka = broker.bootstrapServers();
      place.configure(Workplace.kafka(kafka), 1, Workplace.SCALED);
      broker.stop();
      var services = new ArrayList<Service>();
      try {
        for (String role : List.of("triage", "runner", "producer", "console", "up")) {
          services.add(Service.start(place, role));
        }
        Service leaving = Service.start(place, "triage", "another");
        services.add(leaving);
        for (Service each : services) {
          await(each.name)
              .atMost(SOON)
              .untilAsserted(() -> assertThat(each.get("/livez")).startsWith("200"));
          await(each.name)
              .atMost(SOON)
              .untilAsserted(
                  () -> assertThat(each.get("/readyz")).startsWith("503").contains(kafka));
          assertThat(each.program.out()).as(each.name).isEmpty();
        }
        await("a line each")
            .atMost(SOON)
            .until(() -> services.stream().filter(Service::complained).count() >= 5);
        leaving.program.signal("TERM");
        assertThat(leaving.program.awaitExit(Duration.ofSeconds(20))).as("TERM ends it").isZero();

        broker.restart();
        services.stream()
            .filter(each -> !each.equals(leaving))
            .forEach(each -> each.program.awaitReady());
      } finally {
        services.forEach(each -> each.program.close());
      }
    }
  }

  /** One process and where it answers. */
  private record Service(String name, Program program, int port) {
    static Service start(Workplace place, String role) {
      return start(place, role, role);
    }

    /** The console reads its folder by a name of its own, so each has its own data folder. */
    static Service start(Workplace place, String role, String data) {
      int port = FreePort.take();
      String key = Stream.of("console", "up").anyMatch(role::equals) ? "console" : "admin";
      return new Service(
          data,
          Program.start(
              place.home, role, "--data", data, "--set", key + ".listen=127.0.0.1:" + port),
          port);
    }

    boolean complained() {
      return program.err().contains("(broker.wait)");
    }

    String get(String path) {
      HttpResponse<String> answer = Program.get(URI.create("http://127.0.0.1:" + port + path));
      return answer.statusCode() + " " + answer.body();
    }
  }
}
