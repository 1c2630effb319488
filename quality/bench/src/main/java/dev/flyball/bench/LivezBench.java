package dev.flyball.bench;

import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.FreePort;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** From the start of {@code ./flyball ROLE} to its first answer to /livez (target 1 s). */
final class LivezBench implements Bench {
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "livez";
  }

  @Override
  public void run(Place place) throws Exception {
    try (var broker = BrokerProcess.start(place.folder().resolve("broker"))) {
      for (String role : List.of("console", "triage", "runner", "producer", "up")) {
        var millis = new ArrayList<Double>();
        for (int round = 0; round < ROUNDS; round++) {
          millis.add(answered(place, broker.bootstrapServers(), role, round));
        }
        System.out.println(
            "   "
                + role
                + ": first /livez after "
                + Figures.of("ms", millis)
                + ", target 1000, load "
                + Proc.loadAverage());
      }
    }
  }

  private static double answered(Place place, String servers, String role, int round)
      throws Exception {
    Path data = place.folder().resolve(role + round);
    int port = FreePort.take();
    boolean page = List.of("console", "up").contains(role);
    var arguments = new ArrayList<>(List.of(role, "--data", data.toString()));
    arguments.addAll(List.of("--set", (page ? "console" : "admin") + ".listen=127.0.0.1:" + port));
    if (role.equals("up")) {
      arguments.addAll(List.of("--set", "broker.listen=127.0.0.1:0"));
    } else {
      arguments.addAll(List.of("--bootstrap-servers", servers, "--set", "topics.replication=1"));
    }
    if (role.equals("runner")) {
      arguments.addAll(List.of("--repo", place.root().toString()));
    }
    long before = System.nanoTime();
    try (var program = new Program(place, arguments.toArray(String[]::new))) {
      Awaitility.await()
          .atMost(LIMIT)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> {
            if (!program.alive()) {
              throw new AssertionError("it ended: " + program.tail());
            }
            return live(port);
          });
      return (System.nanoTime() - before) / 1e6;
    }
  }

  private static boolean live(int port) throws Exception {
    var url = URI.create("http://127.0.0.1:" + port + "/livez").toURL();
    if (url.openConnection() instanceof HttpURLConnection connection) {
      connection.setReadTimeout(1_000);
      try {
        return connection.getResponseCode() == 200;
      } catch (IOException e) {
        return false;
      }
    }
    return false;
  }
}
