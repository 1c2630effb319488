package dev.flyball.bench;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment.Level;
import dev.flyball.runner.RunnerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/**
 * A request published until its process runs, one at a time and at each level, beside Kafka's own
 * produce to consume in the same run. The agent is a small program in C that first looks at the
 * clock. Target p50 25 ms, p99 120 ms.
 */
final class DispatchBench implements Bench {
  private static final int ROUNDS = 200;
  private static final int WARM_UP = 20;

  /** Before each round, Kafka's too: this is the time at low load, beside no end of a session. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * Four times what was seen on two cores, 5.5; a wait of 100 ms too many exceeds it at A and B.
   */
  private static final double MOST_RATIO = 22;

  /** A shell's own start would be a third of the figure. */
  private static final String AGENT =
      """
      #include <stdio.h>
      #include <time.h>
      int main(void) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        FILE *stamps = fopen("STAMPS", "a");
        if (!stamps) return 1;
        fprintf(stamps, "%ld.%06ld\\n", (long) now.tv_sec, now.tv_nsec / 1000);
        fclose(stamps);
        while (getchar() != EOF) {}
        puts("done");
        return 0;
      }
      """;

  @Override
  public String name() {
    return "dispatch";
  }

  @Override
  public void run(Place place) throws Exception {
    Path stamps = Files.createFile(place.folder().resolve("stamps"));
    Path agent = agent(place.folder(), stamps);
    for (Level level : List.of(Level.A_PLUS, Level.A, Level.B)) {
      at(level, agent, stamps, place);
    }
  }

  private static Path agent(Path folder, Path stamps) throws IOException, InterruptedException {
    Path source =
        Files.writeString(folder.resolve("agent.c"), AGENT.replace("STAMPS", stamps.toString()));
    Path program = folder.resolve("agent");
    var compiler =
        new ProcessBuilder("cc", "-O2", "-static", "-o", program.toString(), source.toString());
    if (compiler.inheritIO().start().waitFor() != 0) {
      throw new IOException("cc made no agent of " + source + "; install gcc and libc6-dev");
    }
    return program;
  }

  private static void at(Level level, Path agent, Path stamps, Place place) throws Exception {
    Path folder = Files.createDirectory(place.folder().resolve(level.name()));
    var confinement =
        new RunnerConfig.Confinement(level, level, Optional.empty(), AgentNetwork.HOST);
    Files.writeString(stamps, "");
    try (var pool = new Pool(folder, agent, confinement, Pool.EACH)) {
      Figures kafka = kafka(pool);
      var claimed = new ArrayList<Double>();
      Figures ours = dispatch(pool, stamps, claimed);
      System.out.println("   Kafka produce -> consume: " + spread(kafka));
      System.out.println("   request -> process exec:  " + spread(ours));
      System.out.println("   request -> claim appended: " + spread(Figures.of("ms", claimed)));
      System.out.printf(
          Locale.ROOT,
          "   %s: ratio of medians %.1f, of p99 %.1f (target 4 and 4; p50 25 ms, p99 120 ms)%n",
          level.label(),
          ours.median() / kafka.median(),
          ours.at(99) / kafka.at(99));
      Gate.atMost(
          MOST_RATIO,
          ours.median() / kafka.median(),
          "ratio of medians to Kafka's own, " + level.label());
    }
  }

  private static String spread(Figures figures) {
    return String.format(
        Locale.ROOT, "%s, p90 %.1f, p99 %.1f", figures, figures.at(90), figures.at(99));
  }

  /**
   * Times the rounds.
   *
   * @param claimed gets the milliseconds until the claim stood in the ledger; Kafka's times are
   *     whole milliseconds, so half of one is added
   */
  private static Figures dispatch(Pool pool, Path stamps, List<Double> claimed) throws IOException {
    var millis = new ArrayList<Double>();
    for (int i = 0; i < ROUNDS + WARM_UP; i++) {
      int expected = i + 1;
      Instant before = Instant.now();
      pool.request(Pool.item(i), Pool.request(i));
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(2))
          .until(() -> Files.readAllLines(stamps).size() >= expected);
      if (i >= WARM_UP) {
        double ran = Double.parseDouble(Files.readAllLines(stamps).get(i));
        millis.add((ran - before.getEpochSecond()) * 1e3 - before.getNano() / 1e6);
      }
      pool.awaitReleases(1, Duration.ofMinutes(1));
      if (i >= WARM_UP) {
        Instant appended = Instant.ofEpochMilli(pool.lastClaimMs());
        claimed.add(Duration.between(before, appended).toNanos() / 1e6 + 0.5);
      }
      pool.request(Pool.item(i), null);
      pause();
    }
    return Figures.of("ms", millis);
  }

  private static void pause() {
    Awaitility.await().pollDelay(PAUSE).until(() -> true);
  }

  private static Figures kafka(Pool pool) throws Exception {
    var partition = new TopicPartition("bench-baseline", 0);
    try (Admin admin = pool.clients.admin("baseline")) {
      admin.createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1))).all().get();
    }
    var millis = new ArrayList<Double>();
    try (var producer = pool.clients.producer("baseline");
        var consumer = pool.clients.consumer("baseline")) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      consumer.poll(Duration.ofMillis(200));
      for (int i = 0; i < ROUNDS + WARM_UP; i++) {
        pause();
        long before = System.nanoTime();
        var _ = producer.send(new ProducerRecord<>(partition.topic(), 0, "k", new byte[1024]));
        while (consumer.poll(Duration.ofSeconds(1)).isEmpty()) {
          // It comes.
        }
        if (i >= WARM_UP) {
          millis.add((System.nanoTime() - before) / 1e6);
        }
      }
    }
    return Figures.of("ms", millis);
  }
}
