package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.program.story.SessionSampler.Sighting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an operator says at run time holds on every runner 2 s after its entry: by /proc over two
 * runner programs, whose sessions come and go all the time.
 */
@Tag("long")
final class OperatorsWordIT {
  private static final Duration EFFECTIVE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** More than two runners get done meanwhile, so that something always waits. */
  private static final int ITEMS = 400;

  /** Enough that both runners had their turn. */
  private static final int SOME = 8;

  private static final String AGENT =
      """
      cat > /dev/null
      sleep 1
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void aCapAPauseAResumeAndADrainHoldOnEveryRunnerWithinTwoSeconds(@TempDir Path folder) {
    try (var cluster = Cluster.in(folder, AGENT)) {
      SessionSampler sampler = cluster.sampler;
      cluster.add(ITEMS);
      cluster.configure(4, Workplace.SCALED);
      cluster.place.change("grace: 500ms", "grace: 500ms, drain: 60s");
      cluster.start(2).awaitLive(4);

      Instant lowered = said(cluster, LedgerEntry.Cap.class, "cap", "2");
      awaitStarts(sampler, lowered.plus(EFFECTIVE));
      Instant paused = said(cluster, LedgerEntry.Pause.class, "pause", "--why", "a test");
      await("a while without a start")
          .atMost(PATIENCE)
          .until(() -> Instant.now().isAfter(paused.plus(EFFECTIVE.multipliedBy(3))));
      Instant resumed = said(cluster, LedgerEntry.Resume.class, "resume");
      awaitStarts(sampler, resumed);
      Program leaving = cluster.runners.getFirst();
      String leavingId = leaving.ready("id");
      Instant drained = Instant.now();
      leaving.signal("TERM");
      assertThat(leaving.awaitEnd()).isZero();
      awaitStarts(sampler, drained.plus(EFFECTIVE));

      Collection<Sighting> all = sampler.sightings().values();
      List<Sighting> above = above(all, lowered, Instant.MAX, 2);
      Instant first = starts(all, resumed, Instant.MAX).getFirst().first();
      System.out.printf(
          "operator's word: last start above a lowered cap %s after it, last after a pause %s,"
              + " first after a resume %s%n",
          last(above, lowered),
          last(starts(all, paused, resumed), paused),
          Duration.between(resumed, first));
      assertThat(above(all, lowered.plus(EFFECTIVE), Instant.MAX, 2)).as("above cap").isEmpty();
      assertThat(starts(all, paused.plus(EFFECTIVE), resumed)).as("while paused").isEmpty();
      assertThat(first).as("after the resume").isBefore(resumed.plus(EFFECTIVE));
      LedgerAudit audit = cluster.audit();
      assertThat(audit.claims.values().stream().map(LedgerEntry.Claim::runner).distinct())
          .as("both runners claimed")
          .hasSize(2);
      assertThat(claimsAfter(cluster.kafka, leavingId, drained.plus(EFFECTIVE)))
          .as("drained")
          .isEmpty();
      assertThat(audit.ends.values())
          .as("what ran on the drained runner came to its own end")
          .noneMatch(end ->
              end instanceof Effect.Released released
                  && "runner shutdown".equals(released.release().reason()));
    }
  }

  /** Gives the command and says when its entry was appended. */
  private static Instant said(Cluster cluster, Class<? extends LedgerEntry> kind, String... words) {
    cluster.order(words);
    return LedgerAudit.readAll(cluster.kafka, Topics.DEFAULT.sessionLedger()).stream()
        .filter(record -> kind.isInstance(RecordJson.read(record.value(), LedgerEntry.class)))
        .map(record -> Instant.ofEpochMilli(record.timestamp()))
        .reduce((older, newer) -> newer)
        .orElseThrow();
  }

  private static List<LedgerEntry.Claim> claimsAfter(String kafka, String runner, Instant since) {
    return LedgerAudit.readAll(kafka, Topics.DEFAULT.sessionLedger()).stream()
        .filter(record -> record.timestamp() > since.toEpochMilli())
        .map(record -> RecordJson.read(record.value(), LedgerEntry.class))
        .filter(LedgerEntry.Claim.class::isInstance)
        .map(LedgerEntry.Claim.class::cast)
        .filter(claim -> claim.runner().equals(runner))
        .toList();
  }

  private static void awaitStarts(SessionSampler sampler, Instant since) {
    await("sessions go on")
        .atMost(PATIENCE)
        .until(() -> starts(sampler.sightings().values(), since, Instant.MAX).size() >= SOME);
  }

  /** What began after one moment and before another, in order. */
  private static List<Sighting> starts(Collection<Sighting> all, Instant after, Instant before) {
    return all.stream()
        .filter(each -> each.first().isAfter(after) && each.first().isBefore(before))
        .sorted((one, other) -> one.first().compareTo(other.first()))
        .toList();
  }

  /** Starts that made more live than the cap. */
  private static List<Sighting> above(
      Collection<Sighting> all, Instant after, Instant before, int cap) {
    return starts(all, after, before).stream()
        .filter(start -> liveAt(all, start.first()) > cap)
        .toList();
  }

  private static long liveAt(Collection<Sighting> all, Instant moment) {
    return all.stream()
        .filter(each -> !each.first().isAfter(moment))
        .filter(each -> each.gone() == null || each.gone().isAfter(moment))
        .count();
  }

  private static String last(List<Sighting> starts, Instant since) {
    return starts.isEmpty() ? "none" : Duration.between(since, starts.getLast().first()).toString();
  }
}
