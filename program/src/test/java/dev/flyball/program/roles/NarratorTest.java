package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.program.roles.Narrator.Seen;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service says of its polls, its sessions and its problems. */
final class NarratorTest {
  private static final Instant BEGAN = Instant.parse("2026-02-10T08:00:00Z");
  private static final Instant LATER = BEGAN.plusSeconds(5);

  @TempDir Path folder;

  private final List<String> said = new ArrayList<>();

  @Test
  void whatIsNewIsToldOnce() {
    Narrator narrator = narrator(true);
    var seen =
        new Seen(
            "r1",
            List.of(poll("2", LATER, 3, 1), poll("1", LATER, 0, 0)),
            List.of(live(2, "r1", "A title")),
            List.of(ended("completed", "completed", LATER, 0L)));

    assertThat(narrator.news(seen))
        .containsExactly(
            "acme/web polled: 40 items, 3 changed, 1 unreadable",
            "session 12345678 of acme/web/8 completed after 1m 5s, 0.12 USD: Other",
            "session abcdefab starts on acme/web/7, attempt 2: A title");
    assertThat(narrator.news(seen)).isEmpty();
  }

  @Test
  void aSessionThatNoLookSawLiveHasItsStartAndOneThatWasLostNoDuration() {
    Narrator narrator = narrator(true);
    EndedSession brief = ended("1234567890", "lost", "its lease expired", LATER, BEGAN, 0, null);

    assertThat(narrator.news(seen(null, brief)))
        .containsExactly(
            "session 12345678 starts on acme/web/8, attempt 2: Other",
            "session 12345678 of acme/web/8 lost, 0.12 USD (its lease expired): Other");
    assertThat(narrator.news(seen(null, brief))).isEmpty();
    narrator.news(seen(live(1, "r1", "One"), null));
    narrator.news(seen(null, null)); // Its lease has ended, and its end is not read yet.
    EndedSession seen = ended("abcdefabcd", "completed", null, LATER, LATER, 65_000, 0L);
    assertThat(narrator.news(seen(null, seen))).hasSize(1);
  }

  @Test
  void whatWasBeforeIsNotTold() {
    Instant before = BEGAN.minusSeconds(1);
    var seen =
        new Seen(
            "r1",
            List.of(poll("1", before, 3, 0), poll("2", null, 3, 0)),
            List.of(),
            List.of(ended("failed", "401", before, 0L)));

    assertThat(narrator(true).news(seen)).isEmpty();
    assertThat(
            narrator(false)
                .news(new Seen("r1", List.of(poll("3", LATER, 3, 0)), List.of(), List.of())))
        .as("a run says itself what it read")
        .isEmpty();
  }

  @Test
  void aLineHoldsNoControlCharactersOfAnItemAndIsShort() {
    Narrator narrator = narrator(true);
    var session = ended("failed", "401 " + "x".repeat(10_000) + "\n\033[2J", LATER, 0L);

    assertThat(narrator.news(seen(live(1, "r1", "\033[2J\nforged"), null)))
        .singleElement()
        .asString()
        .doesNotContainPattern("\\p{Cntrl}")
        .endsWith("forged");
    assertThat(narrator.news(seen(null, session)))
        .singleElement()
        .asString()
        .contains(" failed after ", "(401 x")
        .hasSizeLessThan(300);
  }

  @Test
  void aProblemIsToldAgainOnlyAfterAWhile() {
    Narrator narrator = narrator(true);
    Health two =
        Health.degraded("disk", "5 MB left").and(Health.starting("triage reads its state"));
    Health other = Health.degraded("disk", "4 MB left");

    assertThat(narrator.troubles(two, BEGAN)).containsExactly("problem: 5 MB left");
    assertThat(narrator.troubles(other, BEGAN.plusSeconds(2))).isEmpty();
    assertThat(narrator.troubles(Health.healthy(), BEGAN.plusSeconds(4)))
        .containsExactly("over: 5 MB left");
    assertThat(narrator.troubles(two, LATER)).isEmpty();
    assertThat(narrator.troubles(two, LATER.plus(Duration.ofMinutes(11)))).hasSize(1);
  }

  @Test
  void onlyTheFirstLinesOfOneLookAreToldTheOthersCounted() {
    var conditions = new ArrayList<Health.Condition>();
    for (int n = 0; n < Narrator.MOST + 3; n++) {
      conditions.add(new Health.Condition("polls", "acme/" + n, "acme/" + n + " answers 500"));
    }

    narrator(true).look(Health.degraded(conditions));

    assertThat(said).hasSize(Narrator.MOST + 1);
    assertThat(said.getLast()).startsWith("and 3 more");
  }

  @Test
  void theLastLineClaimsOnlyWhatWasVerified() {
    Narrator narrator = narrator(true);
    Instant now = Instant.now().plusSeconds(1);

    assertThat(narrator.stopped()).isEqualTo("stopped; no agent is left");
    narrator.stopping(Duration.ZERO);
    assertThat(said).containsExactly("stopping");
    assertThat(narrator.end(seen(null, ended("interrupted", null, now, 0L))))
        .isEqualTo("stopped; 1 session ended, no agent is left");
    assertThat(narrator.end(seen(null, ended("interrupted", null, now, 2L)))).contains("sweep");
    assertThat(narrator.end(seen(null, ended("interrupted", null, now, null)))).contains("sweep");
    assertThat(narrator.end(seen(live(1, "r1", "One"), null))).contains("sweep");
    assertThat(narrator.end(seen(live(1, "elsewhere", "One"), null))).doesNotContain("sweep");
  }

  @Test
  void aSessionOfAnotherRunnerIsReportedOnceAndNotEnded() {
    Narrator narrator = narrator(true);
    Seen other = seen(live(1, "elsewhere", "One"), null);

    assertThat(narrator.news(other)).hasSize(1);
    narrator.stopping(Duration.ZERO);
    assertThat(narrator.news(seen(live(1, "r1", "One"), null))).isEmpty();
    narrator.stopping(Duration.ofSeconds(60));
    assertThat(said)
        .containsExactly(
            "stopping",
            "stopping; 1 session may go on for up to 1m 0s, or until the next such signal");
  }

  private static Seen seen(@Nullable RunningSession live, @Nullable EndedSession ended) {
    return new Seen(
        "r1",
        List.of(),
        live == null ? List.of() : List.of(live),
        ended == null ? List.of() : List.of(ended));
  }

  private Narrator narrator(boolean ofPolls) {
    return new Narrator(folder, () -> "r1", ofPolls, BEGAN, said::add);
  }

  private static PollRow poll(String id, @Nullable Instant end, long changed, long invalid) {
    return RecordJson.fromTree(
        JsonNodeFactory.instance
            .objectNode()
            .put("source", "acme/web")
            .put("poll", id)
            .put("startedAt", BEGAN.toString())
            .put("endedAt", end == null ? null : end.toString())
            .put("result", "finished")
            .put("polled", 40)
            .put("changed", changed)
            .put("duplicates", 0)
            .put("invalid", invalid),
        PollRow.class);
  }

  private static RunningSession live(int attempt, String runner, String title) {
    String id = "abcdefabcd";
    String item = "acme/web/7";
    return new RunningSession(
        id, item, runner, attempt, null, null, null, null, LATER, 0, 0, null, false, 0, 0, title);
  }

  private static EndedSession ended(
      String outcome, @Nullable String reason, Instant end, @Nullable Long alive) {
    return ended("1234567890", outcome, reason, end, null, 65_000, alive);
  }

  private static EndedSession ended(
      String id,
      String outcome,
      @Nullable String reason,
      Instant end,
      @Nullable Instant start,
      long ms,
      @Nullable Long alive) {
    String item = "acme/web/8";
    return new EndedSession(
        id, item, "r1", outcome, reason, end, 0, ms, 0, 120_000, alive, "Other", 2L, start, null,
        null, null, null, null, null, null);
  }
}
