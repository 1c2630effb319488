package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.RedmineServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName(
    "A service over a real Redmine: analyses come back as notes, and a note triggers nothing")
final class RedmineIT {
  private static final String[] TEXT = {
    "Ledger.expireLease ends a lease although its holder lives. Steps: start two runners, wait."
        + " at Ledger.expireLease(Ledger.java:3)",
    "Parser.parseDuration throws an exception when the text is 7d. Expected: seven days."
        + " at Parser.parseDuration(Parser.java:2)"
  };

  @TempDir Path folder;

  @Test
  void anAnalysisBecomesANoteAndTheNoteNoSession() {
    try (var redmine = RedmineServer.start(folder.resolve("redmine"))) {
      int lease = redmine.issues().create("Lease expires too early", TEXT[0]);
      int duration = redmine.issues().create("parseDuration throws on 7d", TEXT[1]);
      try (Program _ = up(redmine)) {
        awaitNote(redmine, lease, "session=");
        awaitNote(redmine, duration, "session=");
        redmine.issues().edit(lease, Map.of("subject", "Lease expires far too early"));
        poll();

        // The poll that sees the edit of one sees the notes at both.
        KafkaFixture.await()
            .atMost(Duration.ofMinutes(2))
            .until(() -> started(lease) == 2 && seen(duration, "duplicate"));
        awaitNote(redmine, lease, session(lease));
        assertThat(notes(redmine, lease)).as("edited, not added").hasSize(1);
        assertThat(started(duration)).as("sessions of the item that only got a note").isOne();

        redmine.issues().close(duration);
        poll();
        KafkaFixture.await().atMost(Duration.ofMinutes(2)).until(() -> seen(duration, "closed"));
        assertThat(started(duration)).isOne();
        assertThat(started(lease)).as("the edited note triggered nothing either").isEqualTo(2);
      }
    }
  }

  private Program up(RedmineServer redmine) {
    var place = Workplace.in(folder.resolve("work"));
    place.write("repo/Ledger.java", "class Ledger {\n  void expireLease() {}\n}\n");
    place.write("key", RedmineServer.BOT_KEY + "\n");
    place.write(
        "flyball.yaml",
        """
        tenant: acme
        sources:
          - {name: tracker, type: redmine, url: "%s", token-file: key, start: all, interval: 30s, write-back: comment}
        sessions: {repo: repo}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(redmine.url()));
    return Program.up(place.home);
  }

  /** Instead of waiting for the end of the interval, which is at least 30 s. */
  private void poll() {
    var _ = CommandLineFixture.in(folder.resolve("work"), "poll", "tracker", "--wait", "10s");
  }

  /**
   * Redmine answers 500 to a reader whose wait for its database is too long; then it is read again.
   */
  private static void awaitNote(RedmineServer redmine, int issue, String text) {
    KafkaFixture.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() ->
            assertThat(notes(redmine, issue)).anySatisfy(note -> assertThat(note).contains(text)));
  }

  private static List<String> notes(RedmineServer redmine, int issue) {
    return StreamSupport.stream(redmine.issues().read(issue).path("journals").spliterator(), false)
        .map(journal -> journal.path("notes").asText())
        .filter(text -> !text.isBlank())
        .toList();
  }

  private long started(int issue) {
    return timeline(issue).stream().filter(line -> line.contains("session.claimed")).count();
  }

  private boolean seen(int issue, String word) {
    return timeline(issue).stream().anyMatch(line -> line.contains("item." + word));
  }

  private String session(int issue) {
    String last =
        timeline(issue).stream()
            .filter(line -> line.contains("session.claimed"))
            .reduce((older, newer) -> newer)
            .orElseThrow();
    return last.split("\t")[2];
  }

  private List<String> timeline(int issue) {
    return CommandLineFixture.in(folder.resolve("work"), "item", "acme/tracker/" + issue)
        .out()
        .lines()
        .toList();
  }
}
