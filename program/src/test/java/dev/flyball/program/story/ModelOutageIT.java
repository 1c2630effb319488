package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.ChatVerdicts;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The outage is scaled: it lasts several times as long as {@code triage.patience}. */
@Tag("long")
@Timeout(360)
@DisplayName(
    "While the model's server refuses connections items wait, and then full batches go out")
final class ModelOutageIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern CALLS =
      Pattern.compile("(?m)^flyball_triage_calls_total(?:\\{[^}]*})? ([0-9.]+)$");
  private static final int ITEMS = 24;
  private static final int BATCH = 8;

  @Test
  void nothingIsLostNothingStartsUnclassifiedAndTheReasonIsSeen(@TempDir Path folder) {
    int models = FreePort.take();
    // Each reason names it.
    String server = "http://127.0.0.1:" + models;
    var place = Workplace.in(folder, Workplace.ANSWERS);
    String broker = "broker: {listen: \"127.0.0.1:" + FreePort.take() + "\"}";
    place.configure(broker + "\nconsole: {listen: \"127.0.0.1:0\"}", 3, Workplace.SCALED);
    for (int id = 1; id <= ITEMS; id++) {
      place.add(id, 1);
    }
    try (Program up = up(place, models)) {
      for (String item : List.of("default/backlog/1", "default/backlog/" + ITEMS)) {
        KafkaFixture.await()
            .alias("the reason of " + item)
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(CommandLineFixture.in(folder, "why", item).out())
                    .contains("triaging", server));
      }
      await("a third call in vain, after several patiences")
          .atMost(PATIENCE)
          .until(() -> calls(up) >= 3);

      assertThat(up.get("/health").body()).contains(server);
      assertThat(items(up, "triaging")).as("nothing is lost or judged").isEqualTo(ITEMS);
      assertThat(CommandLineFixture.in(folder, "item", "default/backlog/1").out())
          .contains("item.deferred")
          .doesNotContain("requested");
      assertThat(place.live()).isEmpty();

      try (FaultServer back = FaultServer.http(models)) {
        back.otherwise(request -> ChatVerdicts.of(request.body(), 1));
        KafkaFixture.await()
            .alias("every item is settled")
            .atMost(PATIENCE)
            .untilAsserted(() -> {
              assertThat(items(up, "analyzed")).isEqualTo(ITEMS / BATCH);
              assertThat(items(up, "skipped")).isEqualTo(ITEMS - ITEMS / BATCH);
            });
        assertThat(back.requests())
            .extracting(FaultRequest::body)
            .extracting(body -> ChatVerdicts.items(body).size())
            .as("full batches")
            .containsExactly(BATCH, BATCH, BATCH);
      }
      assertThat(up.get("/health").body()).doesNotContain(server);
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
    assertThat(place.live()).isEmpty();
  }

  private static Program up(Workplace place, int models) {
    String[] triage = {
      "triage.classifier=messages",
      "triage.api=chat",
      "triage.url=http://127.0.0.1:" + models,
      "triage.model=small",
      "triage.prices.input=0",
      "triage.prices.output=0",
      "triage.batch.items=" + BATCH,
      "triage.patience=3s"
    };
    return Program.up(
        place.home,
        Stream.of(triage).flatMap(each -> Stream.of("--set", each)).toArray(String[]::new));
  }

  private static int items(Program up, String state) {
    return up.json("/api/items?state=" + state).size();
  }

  /** Calls of the classifier, those in vain too. */
  private static double calls(Program up) {
    var found = CALLS.matcher(up.get("/metrics").body());
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }
}
