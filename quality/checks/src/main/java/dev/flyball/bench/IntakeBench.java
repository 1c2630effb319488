package dev.flyball.bench;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * 10,000 changed items from a tracker on this machine to Kafka, again and again: asked for over 100
 * pages, cleaned, compared, committed with the cursor; target 2,000 items/s.
 */
final class IntakeBench implements Bench {
  private static final int ROUNDS = 10;

  /** Most that is still held after a round: of the second half to the first. */
  private static final double MOST_GROWTH = 1.3;

  @Override
  public String name() {
    return "intake";
  }

  @Override
  public void run(Place place) throws IOException {
    var source = new SourceConfig.Identity("acme", "tracker", Duration.ofMinutes(5));
    try (var broker = BrokerProcess.start(place.folder().resolve("broker"));
        var issues = new ChangedIssues()) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      new TopicProvisioner(new KafkaClients(kafka, "bench")).provision();
      var github =
          new SourceConfig.GitHub(
              source, SourceRules.DEFAULT, issues.url(), "acme/web", new Credential.None());
      ProducerApp app =
          ProducerApp.onDemand(
              ProducerConfig.defaults(place.folder().resolve("producer"), List.of(github)),
              kafka,
              new Telemetry());
      app.start();
      try {
        measure(app, issues);
      } finally {
        app.stop();
      }
    }
  }

  private static void measure(ProducerApp app, ChangedIssues issues) {
    var rates = new ArrayList<Double>();
    var held = new ArrayList<Double>();
    for (int round = 0; round < ROUNDS; round++) {
      issues.change();
      long before = System.nanoTime();
      PollReport report = app.pollNow("acme/tracker");
      double seconds = (System.nanoTime() - before) / 1e9;
      if (!(report instanceof PollReport.Finished finished)
          || finished.published().size() != ChangedIssues.COUNT) {
        throw new AssertionError("not all published: " + String.valueOf(report).substring(0, 200));
      }
      rates.add(ChangedIssues.COUNT / seconds);
      held.add(heldMegabytes());
    }
    System.out.println(
        "   " + ChangedIssues.COUNT + " changed items to Kafka: " + Figures.of("items/s", rates));
    System.out.printf(
        Locale.ROOT, "   held after each round, MB: %s%n", held.stream().map(Math::round).toList());
    Gate.atMost(
        MOST_GROWTH,
        Collections.max(held.subList(ROUNDS / 2, ROUNDS))
            / Collections.max(held.subList(0, ROUNDS / 2)),
        "memory held, second half to first");
  }

  private static double heldMegabytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / 1e6;
  }
}
