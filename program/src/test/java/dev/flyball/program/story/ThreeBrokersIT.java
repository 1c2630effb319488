package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1 to INV-6 over a cluster of three brokers, one of which is killed, stopped or frozen at any
 * time, while their clocks are a minute apart. {@code -Dflyball.brokers.minutes=30} for more than
 * CI has time for.
 */
@Tag("container")
@Timeout(7200)
final class ThreeBrokersIT {
  private static final Duration LONG =
      Duration.ofMinutes(Integer.getInteger("flyball.brokers.minutes", 0));

  private static final int CAP = 3;

  /** More than the sessions between two faults, so that something always waits. */
  private static final int WAITING = 8;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final String AGENT =
      """
      #!/bin/sh
      grep -o 'parsing item [0-9]*' | head -n 1 >> "$HOME/ran"
      (sleep 600 &)
      sleep 2
      echo "Main.java line 1 is the cause"
      """;

  private enum Fault {
    KILL,
    STOP,
    FREEZE;

    void strike(ThreeBrokers brokers, int broker) {
      switch (this) {
        case KILL -> brokers.kill(broker);
        case STOP -> brokers.stop(broker);
        case FREEZE -> brokers.freeze(broker);
      }
    }
  }

  @Test
  void nothingIsLostOrDoubledWhileBrokersFailAndLeadersMove(@TempDir Path folder) throws Exception {
    long seed = Long.getLong("flyball.seed", System.nanoTime());
    System.out.println("three brokers: -Dflyball.seed=" + seed);
    var random = new Random(seed);
    var place = Workplace.in(folder, AGENT);
    place.write("ran", "");
    var ahead = SteppedClock.in(Files.createDirectory(folder.resolve("ahead")));
    var behind = SteppedClock.in(Files.createDirectory(folder.resolve("behind")));
    ahead.step(Duration.ofSeconds(30));
    behind.step(Duration.ofSeconds(-30));
    int items = 0;
    var recoveries = new ArrayList<Duration>();
    int moves = 0;
    try (var brokers = new ThreeBrokers(List.of(ahead, behind));
        var writer = new AcknowledgedWriter(brokers.bootstrapServers());
        var sampler = SessionSampler.of(place);
        var cluster =
            new Cluster(
                place,
                brokers.bootstrapServers(),
                data -> List.of("env", "FLYBALL_TOPICS_REPLICATION=3"))) {
      place.configure(
          Workplace.kafka(brokers.bootstrapServers()),
          CAP,
          new Workplace.Clocks("60s", "1s", "5s"));
      cluster.start(3);
      var faults = new ArrayList<>(List.of(Fault.values()));
      Collections.shuffle(faults, random);
      String ledger = Topics.DEFAULT.sessionLedger();
      long end = System.nanoTime() + LONG.toNanos();
      while (System.nanoTime() < end || recoveries.size() < faults.size()) {
        while (items < sampler.sightings().size() + WAITING) {
          place.add(items++, 1);
        }
        Cluster.awaitLive(sampler, 1);
        int leader = brokers.leaderOf(ledger);
        // Every second fault meets the broker that orders the claims.
        int broker = recoveries.size() % 2 == 0 ? leader : random.nextInt(3);
        Fault fault = faults.get(recoveries.size() % faults.size());
        long began = System.nanoTime();
        fault.strike(brokers, broker);
        // It needs every part: the producer's poll, triage, a claim and the session.
        String added = "parsing item " + items;
        place.add(items++, 1);
        try {
          await("an item of after " + fault + " " + broker + " has a session")
              .atMost(PATIENCE)
              .until(() -> Files.readAllLines(place.home.resolve("ran")).contains(added));
        } catch (ConditionTimeoutException e) {
          System.out.println(cluster.said());
          throw e;
        }
        recoveries.add(Duration.ofNanos(System.nanoTime() - began));
        brokers.bringBack(broker);
        brokers.awaitAll();
        if (brokers.leaderOf(ledger) != leader) {
          moves++;
        }
      }
      writer.stop();
      LedgerAudit audit = cluster.awaitSettled(items, PATIENCE);

      System.out.printf(
          "three brokers: %s; a session of a new item after %s; %d moves of the ledger's leader: %d"
              + " items, %d sessions, %s completed, %s interrupted, %s lost, at most %d at once;"
              + " %d records acknowledged%n",
          faults,
          recoveries,
          moves,
          items,
          audit.claims.size(),
          audit.count(EventType.SESSION_COMPLETED),
          audit.count(EventType.SESSION_INTERRUPTED),
          audit.count(EventType.SESSION_LOST),
          sampler.most(),
          writer.acknowledged().size());
      for (Program runner : cluster.runners) {
        assertThat(runner.alive()).isTrue();
        // A runner whose fold differs from a checkpoint stops.
        assertThat(runner.err()).doesNotContain("claims nothing");
      }
      assertThat(audit.lostRequests(brokers.bootstrapServers())).isEmpty();
      assertThat(moves).as("leader changes").isPositive();
      assertThat(writer.lost()).as("acknowledged records that are lost").isEmpty();
      assertThat(sampler.most()).as("INV-1 by /proc").isLessThanOrEqualTo(CAP);
      assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isEqualTo(1);
      assertThat(audit.items).as("INV-3").hasSize(items);
      assertThat(
              audit.items.values().stream().map(ItemState::phase).map(Object::getClass).distinct())
          .as("INV-3: each was analyzed")
          .hasSize(1);
      assertThat(audit.count(EventType.ITEM_TRIAGED)).as("INV-4").isEqualTo(items);
      assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }
}
