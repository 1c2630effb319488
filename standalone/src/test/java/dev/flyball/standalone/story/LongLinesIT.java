package dev.flyball.standalone.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.standalone.program.Program;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.LargeField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("A runner with the heap that is shipped outlives agents that print 10 MB at a time")
final class LongLinesIT {
  private static final int SIZE = 10 << 20;

  /** Prints the file whose number is in the item's title, on both streams. */
  private static final String AGENT =
      """
      #!/bin/sh
      n=$(sed -n 's/.*parsing item \\([0-9]*\\).*/\\1/p' | head -n 1)
      cat "$HOME/said/$n" >&2 &
      cat "$HOME/said/$n"
      wait
      """;

  @Test
  void everySessionEndsAndTheRunnerGoesOn(@TempDir Path folder) throws IOException {
    List<LargeField> fields = LargeField.ofPrograms().toList();
    var place = Workplace.in(folder, AGENT);
    Files.createDirectories(place.home.resolve("said"));
    for (int i = 0; i < fields.size(); i++) {
      fields.get(i).write(place.home.resolve("said/" + i), i % 2 == 0 ? "eyJ" : "\u20ac", SIZE);
    }
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(
          Workplace.kafka(broker.bootstrapServers()), 4, new Workplace.Clocks("45s", "10s", "10s"));
      place.write(
          "flyball.yaml",
          Files.readString(place.home.resolve("flyball.yaml"))
              .replace("attempts: 3", "attempts: 1"));
      try (var runner = Program.start(place.home, "runner", "--data", "large")) {
        cluster.start(0);
        runner.awaitReady();
        for (int i = 0; i < fields.size(); i++) {
          place.add(i, 1);
        }
        try (var ended = new Ended(broker.bootstrapServers())) {
          await("all sessions ended")
              .atMost(Duration.ofMinutes(5))
              .pollInterval(Duration.ofMillis(200))
              .until(() -> ended.sessions() >= fields.size() || !runner.alive());
          assertThat(runner.alive()).as(runner.err()).isTrue();
          assertThat(
                  ended.count(EventType.SESSION_COMPLETED) + ended.count(EventType.SESSION_FAILED))
              .isEqualTo(fields.size());
        }
      }
    }
    assertThat(place.live()).as("stray processes").isEmpty();
  }
}
