package dev.flyball.bench;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The console, as it is shipped, over a million past events and as many items' states: how fast it
 * makes its projection from the topics, what it answers meanwhile, and its memory (target 200 MB)
 * after that and after requests for pages.
 */
final class ConsoleBench implements Bench {
  private static final int EVENTS = Integer.getInteger("bench.events", 1_000_000);
  private static final int ITEMS = Integer.getInteger("bench.items", 1_000_000);
  private static final int REQUESTS = 100;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Override
  public String name() {
    return "console";
  }

  @Override
  public void run(Place place) throws Exception {
    try (var broker = BrokerProcess.start(place.folder().resolve("broker"));
        var http = HttpClient.newHttpClient()) {
      var clients = new KafkaClients(KafkaSettings.of(broker.bootstrapServers()), "bench");
      new TopicProvisioner(clients).provision();
      try (Admin admin = clients.admin("bench")) {
        // triage-stream's changelog, which no other role makes.
        var states =
            new NewTopic(clients.topics().itemState(), 6, (short) 1)
                .configs(Map.of("cleanup.policy", "compact"));
        admin.createTopics(List.of(states)).all().get();
      }
      var past = new PastEvents(clients.topics());
      past.write(clients, EVENTS / PastEvents.EACH);
      var measured = new Measured(place, broker.bootstrapServers(), http);
      measured.rebuilds(clients.topics().sessionEvents(), EVENTS, "events");
      if (ITEMS > 0) {
        past.writeStates(clients, ITEMS);
        measured.rebuilds(clients.topics().itemState(), ITEMS, "items' states beside them");
      }
    }
  }

  /** A console that starts without a projection. */
  private record Measured(Place place, String servers, HttpClient http) {

    void rebuilds(String topic, int records, String what) throws Exception {
      Path data = place.folder().resolve("data-" + records + "-" + what.length());
      int port = FreePort.take();
      long before = System.nanoTime();
      String load = Proc.loadAverage();
      try (var console =
          new Program(
              place,
              "console",
              "--bootstrap-servers",
              servers,
              "--set",
              "topics.replication=1",
              "--set",
              "console.listen=127.0.0.1:" + port,
              "--data",
              data.toString())) {
        String url = "http://127.0.0.1:" + port;
        var health = new TreeMap<String, Integer>();
        var pages = new ArrayList<Double>();
        var last = new Seen(0, 0);
        while (last.read < records) {
          last = next(console, data.resolve("console"), topic, last);
          health.merge(answer(url + "/readyz", null), 1, Integer::sum);
          answer(url + "/", pages);
        }
        double seconds = (last.nanos - before) / 1e9;
        System.out.printf(
            Locale.ROOT,
            "   %d %s read in %.1f s, %.0f a second; load %s%n",
            records,
            what,
            seconds,
            records / seconds,
            load);
        System.out.printf(
            Locale.ROOT,
            "   resident after it: %.0f MB, peak %.0f, target 200%n",
            Proc.megabytes(console.pid(), "VmRSS"),
            Proc.megabytes(console.pid(), "VmHWM"));
        System.out.println("   meanwhile: /readyz " + health + ", page " + Figures.of("ms", pages));
        pages(url, console);
      }
    }

    private void pages(String url, Program console) throws Exception {
      var millis = new ArrayList<Double>();
      for (int n = 0; n < REQUESTS; n += 4) {
        answer(url + "/", millis);
        answer(url + "/items?text=search", millis);
        answer(url + "/item?key=" + PastEvents.key(n), millis);
        answer(url + "/history", millis);
      }
      System.out.printf(
          Locale.ROOT,
          "   pages: %s, p95 %.3g; resident after them: %.0f MB%n",
          Figures.of("ms", millis),
          Figures.of("ms", millis).at(95),
          Proc.megabytes(console.pid(), "VmRSS"));
    }

    /** Waits until more is read, half a second at most. */
    private static Seen next(Program console, Path data, String topic, Seen last) {
      var seen = new Seen[] {last};
      Awaitility.await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> {
            if (!console.alive()) {
              throw new AssertionError("it ended: " + console.tail());
            }
            seen[0] = new Seen(read(data, topic), System.nanoTime());
            return seen[0].read > last.read;
          });
      return seen[0];
    }

    /** How many records of a topic are in the projection. */
    private static long read(Path data, String topic) throws Exception {
      try (var sql = ProjectionFile.openForReading(data).orElse(null)) {
        return sql == null
            ? 0
            : sql.first(
                    row -> row.getLong(1),
                    "SELECT coalesce(sum(next), 0) FROM position WHERE topic = ?",
                    topic)
                .orElse(0L);
      } catch (RuntimeException e) {
        return 0;
      }
    }

    /** The status of an answer; adds the milliseconds until it was there. */
    private String answer(String url, @Nullable List<Double> millis) throws Exception {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofMinutes(1)).build();
      long before = System.nanoTime();
      try {
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (millis != null) {
          millis.add((System.nanoTime() - before) / 1e6);
        }
        return Integer.toString(status);
      } catch (IOException e) {
        return "no answer";
      }
    }
  }

  /** How many records were read, and when. */
  private record Seen(long read, long nanos) {}
}
