package dev.flyball.triage.topology;

import static dev.flyball.triage.topology.DrivenStream.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code -Dschedules=10000} for more, {@code -Dseed=N} to repeat a run. */
@DisplayName("INV-3, INV-4, INV-6, INV-7: schedules of two producers, a classifier and runners")
final class GeneratedSchedulesTest {
  private static final int SCHEDULES = Integer.getInteger("schedules", 5);
  private static final int STEPS = 80;
  private static final List<String> ITEMS = List.of("acme/a/1", "acme/a/2", "acme/b/1");
  private static final List<Outcome> REPORTED =
      List.of(Outcome.COMPLETED, Outcome.FAILED, Outcome.TIMED_OUT, Outcome.INTERRUPTED);

  static List<Long> seeds() {
    String given = System.getProperty("seed");
    return List.of(given == null ? ThreadLocalRandom.current().nextLong() : Long.parseLong(given));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyScheduleKeepsThePromises(long seed, @TempDir Path folder) {
    System.err.println("GeneratedSchedulesTest: repeat with -Dseed=" + seed);
    var random = new Random(seed);
    for (int n = 0; n < SCHEDULES; n++) {
      try (var schedule = new Schedule(folder.resolve("s" + n), new Random(random.nextLong()))) {
        schedule.run("seed " + seed + ", schedule " + n);
      }
    }
  }

  private record Session(String item, String session, long offset) {}

  /** What the other apps know of the topics, and may write next. */
  private static final class Schedule implements AutoCloseable {
    private final DrivenStream stream;
    private final Random random;
    private final List<Map.Entry<String, Snapshot>> published = new ArrayList<>();
    private final List<Map.Entry<String, TriageRequest>> questions = new ArrayList<>();
    private final Map<String, SessionRequest> standing = new HashMap<>();
    private final List<Session> claims = new ArrayList<>();
    private final List<Analysis> analyses = new ArrayList<>();

    Schedule(Path folder, Random random) {
      this.stream = new DrivenStream(folder);
      this.random = random;
    }

    void run(String name) {
      for (int step = 0; step < STEPS; step++) {
        step(name);
        read();
      }
      settle();
      holds(name);
    }

    private void step(String name) {
      switch (random.nextInt(10)) {
        case 0, 1 -> publish();
        case 2 -> repeat(name);
        case 3, 4 -> answer(name);
        case 5 -> standing.values().stream().findAny().ifPresent(this::claim);
        case 6 -> any(claims, it -> stream.result(it.item(), it.session(), it.offset()));
        case 7 -> any(claims, it -> stream.release(it.session(), any(REPORTED)));
        case 8 -> any(claims, it -> stream.expire(it.session(), it.offset()));
        default -> stream.pass(Duration.ofSeconds(random.nextInt(120)));
      }
    }

    private void publish() {
      String item = any(ITEMS);
      var snapshot = Sample.fingerprinted("r" + published.size(), "content " + random.nextInt(4));
      published.add(Map.entry(item, snapshot));
      stream.snapshot(item, snapshot);
    }

    /** A second producer publishes again what the first has published, in another order. */
    private void repeat(String name) {
      any(
          published,
          it -> {
            boolean newest = newest(published, it);
            int asked = questions.size();
            stream.snapshot(it.getKey(), it.getValue());
            read();
            published.remove(it);
            published.add(it);
            assertThat(newest && questions.size() > asked)
                .as(name + ": an unchanged item costs no question")
                .isFalse();
          });
    }

    /** A classifier that was killed answers again; one that lagged answers an old question. */
    private void answer(String name) {
      any(
          questions,
          it -> {
            Map<String, SessionRequest> before = Map.copyOf(standing);
            verdict(it, random.nextInt(4) > 0);
            read();
            assertThat(newest(questions, it) || standing.equals(before))
                .as(name + ": an answer to an older question changes nothing")
                .isTrue();
          });
    }

    private static <T> boolean newest(List<Map.Entry<String, T>> all, Map.Entry<String, T> one) {
      return all.stream()
          .filter(it -> it.getKey().equals(one.getKey()))
          .reduce((older, newer) -> newer)
          .orElseThrow()
          .equals(one);
    }

    private void verdict(Map.Entry<String, TriageRequest> question, boolean deep) {
      var verdict = Sample.verdict(question.getValue().triage(), deep);
      stream.pipe(
          TOPICS.triageVerdicts(),
          question.getKey(),
          RecordJson.bytes(verdict),
          new RecordHeaders());
    }

    private void claim(SessionRequest request) {
      String item =
          standing.entrySet().stream()
              .filter(it -> it.getValue().equals(request))
              .map(Map.Entry::getKey)
              .findFirst()
              .orElseThrow();
      long offset = stream.nextLedgerOffset();
      claims.add(new Session(item, stream.claim(item, request.request()), offset));
    }

    /** Everything that is out comes back. */
    private void settle() {
      int answered = 0;
      int ended = 0;
      for (int round = 0; round < 12; round++) {
        for (; answered < questions.size(); answered++) {
          verdict(questions.get(answered), true);
        }
        for (; ended < claims.size(); ended++) {
          stream.release(claims.get(ended).session(), Outcome.FAILED);
        }
        stream.pass(Duration.ofMinutes(15));
        read();
        List.copyOf(standing.values()).forEach(this::claim);
        read();
      }
    }

    private void read() {
      stream
          .drain(TOPICS.triageRequests())
          .forEach(it ->
              questions.add(Map.entry(it.key(), RecordJson.read(it.value(), TriageRequest.class))));
      for (var each : stream.drain(TOPICS.sessionRequests())) {
        if (each.value() == null) {
          standing.remove(each.key());
        } else {
          standing.put(each.key(), RecordJson.read(each.value(), SessionRequest.class));
        }
      }
      stream
          .drain(TOPICS.analyses())
          .forEach(it -> analyses.add(RecordJson.read(it.value(), Analysis.class)));
    }

    private void holds(String name) {
      List<LifecycleEvent> events =
          stream.allEvents().stream()
              .map(it -> EventHeaders.read(it.headers(), it.value()))
              .toList();
      // A late result that its runner sends again is written again, under the same id.
      assertThat(
              events.stream()
                  .filter(it -> it.type() != EventType.SESSION_LATE_RESULT)
                  .map(LifecycleEvent::id))
          .as(name)
          .doesNotHaveDuplicates();
      for (String item : ITEMS) {
        assertThat(!stream.knows(item) || stream.state(item).phase().settled())
            .as(name + ": " + item + " is settled")
            .isTrue();
      }
      assertThat(standing).as(name + ": no request stands for a settled item").isEmpty();
      List<String> ended = sessions(events.stream().filter(it -> it.type().terminal()).toList());
      assertThat(ended)
          .as(name + ": one terminal for each effective claim")
          .doesNotHaveDuplicates()
          .hasSameElementsAs(sessions(of(events, EventType.SESSION_CLAIMED)));
      Set<String> completed = Set.copyOf(sessions(of(events, EventType.SESSION_COMPLETED)));
      assertThat(analyses).as(name).allMatch(it -> completed.contains(it.session()));
      assertThat(ends(events)).as(name + ": one end for each change").isEqualTo(changes(events));
      assertThat((long) new HashSet<>(questions).size())
          .as(name + ": an unchanged item costs no question")
          .isLessThanOrEqualTo(changes(events));
    }

    private static List<LifecycleEvent> of(List<LifecycleEvent> events, EventType type) {
      return events.stream().filter(it -> it.type() == type).toList();
    }

    private static List<String> sessions(List<LifecycleEvent> events) {
      return events.stream()
          .map(it -> it.data().text(Field.SESSION).orElseThrow())
          .collect(Collectors.toList());
    }

    private static long changes(List<LifecycleEvent> events) {
      return (long) of(events, EventType.ITEM_CHANGED).size()
          + of(events, EventType.ITEM_REOPENED).size();
    }

    private long ends(List<LifecycleEvent> events) {
      return analyses.size()
          + events.stream()
              .filter(it ->
                  switch (it.type()) {
                    case ITEM_SKIPPED,
                        ITEM_CLOSED,
                        ITEM_SUPERSEDED,
                        ITEM_CANCELLED,
                        ITEM_DEAD_LETTERED ->
                        true;
                    default -> false;
                  })
              .count();
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private <T> void any(List<T> all, Consumer<T> what) {
      if (!all.isEmpty()) {
        what.accept(any(all));
      }
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
