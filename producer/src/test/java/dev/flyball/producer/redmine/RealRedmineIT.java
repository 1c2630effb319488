package dev.flyball.producer.redmine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.io.CleanupMode.ON_SUCCESS;

import dev.flyball.producer.ProducerProcess;
import dev.flyball.producer.redmine.Published.Content;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.RedmineIssues;
import dev.flyball.testkit.RedmineRequest;
import dev.flyball.testkit.RedmineServer;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three producers of one real Redmine. One of them is killed with SIGKILL every few seconds, while
 * people work on the issues.
 */
@Tag("long")
class RealRedmineIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final long SEED = Long.getLong("redmine.seed", 20_261_122L);
  private static final int OLD_ISSUES = 700;
  private static final int NEW_ISSUES = 300;
  private static final int EDITS_A_ROUND = 12;
  private static final int WAITING_A_ROUND = 8;
  private static final int DELETIONS_A_ROUND = 2;
  private static final int KILLS = Integer.getInteger("redmine.kills", 2);
  private static final Duration WORK = Duration.ofSeconds(10L * KILLS);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir(cleanup = ON_SUCCESS)
  Path dir;

  private RedmineServer redmine;
  private RedmineIssues people;
  private Published published;
  private List<ProducerProcess> producers;

  /** Every content that each issue has had, by the edits of the test. */
  private final Map<Integer, Set<Content>> expected = new HashMap<>();

  private final Map<Integer, Content> now = new HashMap<>();
  private final Random random = new Random(SEED);

  @BeforeEach
  void start() throws IOException {
    redmine = RedmineServer.start(dir.resolve("redmine"));
    people = redmine.issues();
    KAFKA.provision();
    published = new Published(KAFKA);
    Path token = Files.writeString(dir.resolve("token"), RedmineServer.BOT_KEY + "\n");
    producers =
        IntStream.range(0, 3)
            .mapToObj(n ->
                new ProducerProcess(
                    RedmineProducerMain.class,
                    dir.resolve("producer-" + n),
                    KAFKA.clients("test"),
                    List.of(redmine.url(), RedmineServer.PROJECT, token.toString())))
            .toList();
  }

  @AfterEach
  void stop() {
    producers.forEach(ProducerProcess::close);
    published.close();
    redmine.close();
  }

  @Test
  @DisplayName(
      "S0-26, S0-44, S2-1: each change is published once, whichever producer is killed, and two"
          + " never ask at the same time")
  void eachChangeIsPublishedOnce() {
    var ids = new ArrayList<Integer>();
    ids.addAll(made(OLD_ISSUES, "Old", Duration.ofHours(1)));
    ids.addAll(made(NEW_ISSUES, "New", Duration.ZERO));
    var killer = new Killer(producers, KAFKA, SEED);
    int rounds = 0;
    try (killer) {
      awaitPublished();
      long end = System.nanoTime() + WORK.toNanos();
      long latest = end + 2 * PATIENCE.toNanos();
      while (System.nanoTime() < end || (killer.count() < KILLS && System.nanoTime() < latest)) {
        rounds++;
        List<Integer> waiting = waiting(ids);
        Set<Integer> touched = work(ids, rounds);
        waiting.stream()
            .filter(id -> !touched.contains(id))
            .limit(DELETIONS_A_ROUND)
            .forEach(id -> delete(ids, id));
        awaitPublished();
        waiting.forEach(id -> KAFKA.produceRaw(KAFKA.topics().sessionRequests(), key(id), null));
      }
    }
    awaitQuiet();

    System.out.printf(
        "real Redmine: %d contents of %d issues in %d rounds, %d records, %d kills, %d requests%n",
        expected.values().stream().mapToInt(Set::size).sum(),
        ids.size(),
        rounds,
        published.entries().size(),
        killer.kills().size(),
        polls().size());
    assertThat(killer.kills()).as("kills").hasSizeGreaterThanOrEqualTo(KILLS);
    assertThat(published.contents())
        .as("none missed, none invented, seed %d", SEED)
        .isEqualTo(expected);
    assertNeverTwoAtOnce(killer.kills());
    assertThat(published.repeated().size())
        .as("published twice: %s, seed %d", few(), SEED)
        .isZero();
  }

  /** Edits different issues, some without a change; returns which were edited. */
  private Set<Integer> work(List<Integer> ids, int round) {
    var touched = new HashSet<Integer>();
    for (int edit = 0; edit < EDITS_A_ROUND; edit++) {
      int id = ids.get(random.nextInt(ids.size()));
      if (!touched.add(id)) {
        continue;
      }
      Content before = Objects.requireNonNull(now.get(id));
      switch (random.nextInt(5)) {
        case 0 -> {
          people.edit(id, Map.of("subject", "Issue " + id + " of round " + round));
          is(id, new Content("Issue " + id + " of round " + round, before.state()));
        }
        case 1 -> {
          boolean open = before.state().equals("New");
          people.edit(id, Map.of("status_id", open ? RedmineIssues.CLOSED : RedmineIssues.NEW));
          is(id, new Content(before.title(), open ? "Closed" : "New"));
        }
        case 2 -> people.edit(id, Map.of("subject", before.title()));
        case 3 -> redmine.issuesAsBot().comment(id, "Round " + round);
        default -> {
          String subject = "Made in round " + round + ", " + edit;
          int made = people.create(subject, "");
          ids.add(made);
          is(made, new Content(subject, "New"));
        }
      }
    }
    return touched;
  }

  private List<Integer> made(int count, String subject, Duration age) {
    List<Integer> ids = people.createMany(count, subject, age);
    for (int n = 0; n < count; n++) {
      is(ids.get(n), new Content(subject + " " + (n + 1), "New"));
    }
    return ids;
  }

  /** Writes requests for some issues, as triage does, so that a session waits for them. */
  private List<Integer> waiting(List<Integer> ids) {
    List<Integer> some =
        random.ints(WAITING_A_ROUND, 0, ids.size()).distinct().mapToObj(ids::get).toList();
    for (int id : some) {
      KAFKA.produce(
          KAFKA.topics().sessionRequests(),
          key(id),
          Sample.request("request-" + id, 3, Instant.EPOCH, null, published.newest(id)));
    }
    return some;
  }

  private void delete(List<Integer> ids, Integer id) {
    people.delete(id);
    ids.removeIf(id::equals);
    is(id, new Content(Objects.requireNonNull(now.get(id)).title(), "deleted"));
  }

  private static String key(int id) {
    return RedmineProducerMain.TENANT + "/" + RedmineProducerMain.SOURCE + "/" + id;
  }

  private void is(int id, Content content) {
    now.put(id, content);
    expected.computeIfAbsent(id, key -> new HashSet<>()).add(content);
  }

  private void awaitPublished() {
    Awaitility.await("everything that changed is published")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> {
          published.readOn();
          assertThat(missing()).as("not published, seed %d", SEED).isEmpty();
        });
  }

  private List<Map.Entry<Integer, Content>> missing() {
    return now.entrySet().stream()
        .filter(entry -> !published.has(entry.getKey(), entry.getValue()))
        .limit(5)
        .toList();
  }

  /** Waits for a few more polls after the last kill, so that repetitions show. */
  private void awaitQuiet() {
    int before = polls().size();
    Awaitility.await("polls after the last kill")
        .atMost(PATIENCE)
        .until(() -> polls().size() >= before + 8);
    IntStream.range(0, 10).forEach(n -> published.readOn());
  }

  private List<Published.Entry> few() {
    return published.repeated().stream().limit(5).toList();
  }

  private List<RedmineRequest> polls() {
    return redmine.requests().stream().filter(request -> !request.agent().equals("test")).toList();
  }

  /**
   * Checks that no two requests overlap. A request of a dead producer ends with its death, though
   * the server does not know.
   */
  private void assertNeverTwoAtOnce(List<Long> kills) {
    List<RedmineRequest> polls = polls();
    for (int i = 1; i < polls.size(); i++) {
      RedmineRequest one = polls.get(i - 1);
      RedmineRequest next = polls.get(i);
      boolean killed = kills.stream().anyMatch(kill -> one.begin() < kill && kill < next.begin());
      assertThat(one.overlaps(next) && !killed).as("%s%n%s", one, next).isFalse();
    }
  }
}
