package dev.flyball.runner.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.runner.queue.RequestIndex.Answer;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The index of waiting requests")
class RequestIndexTest {
  private static final long HOUR = 3_600_000L;
  private static final List<@Nullable String> PROVIDERS = Arrays.asList(null, "anthropic");

  private final RequestIndex index = new RequestIndex();

  @ParameterizedTest(name = "a priority of {0} waits at most {1} hours longer")
  @CsvSource({"2, 1", "4, 3", "10, 9", "11, 9", "30000, 9", "-5, 0", "0, 0"})
  void noRequestWaitsForEverUnderAStreamOfUrgentOnes(int priority, int hours) {
    put("a/s/low", 0, priority, 0);
    long offset = 1;
    int ran = 0;
    // Two urgent ones arrive each minute and one session a minute is free, so they pile up.
    for (long now = 0; index.size() > 0 && ran < 10_000; now += HOUR / 60) {
      put("a/s/urgent-" + offset, offset++, 1, now);
      put("a/s/urgent-" + offset, offset++, 1, now);
      Waiting next = next(tenant -> 0).orElseThrow();
      if (next.key().equals("a/s/low")) {
        break;
      }
      index.used(next.key(), next.at());
      ran++;
    }

    assertThat(ran).isBetween(hours * 120 - 1, hours * 120 + 2);
  }

  @Test
  void aDateOutOfRangeIsLastAndNotFirst() {
    put("a/s/broken", 0, 1, null, SessionRequest.turn(1, Instant.MAX));
    put("a/s/right", 2, 10, 1_700_000_000_000L);

    assertThat(drain()).containsExactly("a/s/right", "a/s/broken");
  }

  @Test
  void oneTenantsFloodDoesNotStarveAnothersOnlyItem() {
    for (int i = 0; i < 100; i++) {
      put("flood/s/" + i, i, 1, i);
    }
    put("quiet/s/1", 1000, 3, 999);

    assertThat(drain().subList(0, 2)).contains("quiet/s/1");
  }

  @ParameterizedTest
  @CsvSource({"a, b", "b, a"})
  void theTenantWithFewerLiveSessionsGoesFirstWhateverItWaitsFor(String busy, String idle) {
    put(busy + "/s/1", 1, 1, 1);
    put(idle + "/s/1", 2, 4, 2);

    assertThat(next(tenant -> tenant.equals(busy) ? 2 : 1).map(Waiting::key))
        .contains(idle + "/s/1");
  }

  @ParameterizedTest
  @CsvSource({"a, b", "b, a"})
  void ofTwoTenantsWithAsManySessionsTheOneServedLongerAgoGoesFirst(String last, String first) {
    put(last + "/s/1", 1, 1, 1);
    put(first + "/s/1", 2, 4, 2);
    index.served(first);
    index.served(last);

    assertThat(next(tenant -> 0).map(Waiting::key)).contains(first + "/s/1");
  }

  @ParameterizedTest
  @CsvSource({"a, b", "b, a"})
  void ofTwoTenantsThatWereNeverServedTheFirstTurnDecides(String late, String early) {
    put(late + "/s/1", 1, 2, 1);
    put(early + "/s/1", 2, 1, 1);

    assertThat(next(tenant -> 0).map(Waiting::key)).contains(early + "/s/1");
  }

  @ParameterizedTest(name = "{0} requests of another source that sort first")
  @ValueSource(ints = {2, 5_000, 100_000})
  void aSourceThatMayNotRunIsAskedAboutOnceAndHidesNothing(int older) {
    for (int i = 0; i < older; i++) {
      put("acme/paused/" + i, 0, i, null, i);
    }
    put("acme/other/1", 0, older, null, older);

    assertThat(
            asked(
                tenant -> 0,
                key -> key.startsWith("acme/paused/") ? Answer.NEXT_LANE : Answer.ENOUGH))
        .containsExactly("acme/paused/0", "acme/other/1");
  }

  @Test
  void providersAndPartitionsOfASourceAreAskedAboutEachForItself() {
    put("acme/s/limited-1", 0, 1, "anthropic", 1);
    put("acme/s/limited-2", 0, 2, "anthropic", 2);
    put("acme/s/elsewhere", 1, 1, "anthropic", 3);
    put("acme/s/free", 0, 3, null, 4);

    assertThat(asked(tenant -> 0, key -> Answer.NEXT_LANE))
        .containsExactly("acme/s/limited-1", "acme/s/elsewhere", "acme/s/free");
  }

  @Test
  void oneThatMayNotRunByItselfLetsTheNextOneOfItsSourcePass() {
    for (int i = 0; i < 100; i++) {
      put("acme/s/" + i, 0, i, null, i);
    }

    assertThat(asked(tenant -> 0, key -> key.equals("acme/s/99") ? Answer.ENOUGH : Answer.NEXT))
        .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(i -> "acme/s/" + i).toList());
    assertThat(index.size()).isEqualTo(100);
  }

  @Test
  @DisplayName("requests that are passed over as if claimed leave their tenant its place in line")
  void tenantsTakeTurnsWithinOneSearch() {
    for (int i = 0; i < 3; i++) {
      put("many/s/" + i, 0, i, null, i);
      put("few/s/" + i, 0, 10 + i, null, 10 + i);
      put("few/t/" + i, 0, 20 + i, null, 20 + i);
    }
    var left = new AtomicInteger(6);

    assertThat(
            asked(
                tenant -> tenant.equals("many") ? 2 : 0,
                key -> left.decrementAndGet() > 0 ? Answer.NEXT_AS_IF_CLAIMED : Answer.ENOUGH))
        .containsExactly("few/s/0", "few/s/1", "many/s/0", "few/s/2", "many/s/1", "few/t/0");
  }

  @Test
  void aUsedRequestNeverRunsAgainAndIsStillTheWantedOne() {
    put("a/s/1", 5, 1, 1);
    put("a/s/1", 9, 1, 1);
    index.used("a/s/1", new Position(0, 5));
    assertThat(index.size()).as("an old record does not touch its replacement").isOne();

    index.used("a/s/1", new Position(0, 9));

    assertThat(drain()).isEmpty();
    assertThat(index.current("a/s/1", new Position(0, 5))).isFalse();
    assertThat(index.current("a/s/1", new Position(0, 9))).isTrue();
  }

  @Test
  void keysWithoutASourceAndIdsWithSlashesAreKeysLikeOthers() {
    put("a/s/x/y", 1, 1, 1);
    index.withdraw("garbage");
    index.withdraw("");
    index.withdraw("a/s");
    index.withdraw("a/s/x");

    assertThat(drain()).containsExactly("a/s/x/y");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName(
      "any sequence of records leaves exactly the newest unused one of each item, in order")
  void theIndexIsWhatItsRecordsSay(long seed) {
    var random = new Random(seed);
    Map<String, Long> expected = new HashMap<>();
    for (int offset = 0; offset < 2_000; offset++) {
      String key = "t" + random.nextInt(3) + "/s" + random.nextInt(2) + "/" + random.nextInt(50);
      int what = random.nextInt(10);
      if (what < 6) {
        put(key, 0, offset, PROVIDERS.get(random.nextInt(2)), random.nextInt(100));
        expected.put(key, (long) offset);
      } else if (what < 8) {
        index.withdraw(key);
        expected.remove(key);
      } else {
        long at = expected.getOrDefault(key, 0L);
        index.used(key, new Position(0, at));
        expected.remove(key);
        // Its place stays known, but it does not wait any more.
      }
    }

    assertThat(index.size()).isEqualTo(expected.size());
    Set<String> found = new HashSet<>();
    Waiting last = null;
    for (Optional<Waiting> next = next("t1"); next.isPresent(); next = next("t1")) {
      Waiting waiting = next.get();
      assertThat(waiting.at().offset()).isEqualTo(expected.get(waiting.key()));
      assertThat(last == null ? 1 : waiting.compareTo(last)).isPositive();
      last = waiting;
      found.add(waiting.key());
      index.used(waiting.key(), waiting.at());
    }
    assertThat(found)
        .isEqualTo(
            new HashSet<>(
                expected.keySet().stream().filter(key -> key.startsWith("t1/")).toList()));
  }

  @Test
  @DisplayName("100,000 waiting requests take less than 40 MB")
  void manyRequestsStaySmall() {
    long before = used();
    for (int i = 0; i < 100_000; i++) {
      SessionRequest request =
          Sample.request(
              UUID.randomUUID().toString(),
              1,
              Instant.ofEpochMilli(1_700_000_000_000L + i),
              String.copyValueOf("anthropic".toCharArray()),
              Sample.snapshot("title", "text"));
      index.put(Waiting.of("acme/ado-main/" + (9_000_000 + i), new Position(i % 6, i), request, i));
    }
    long bytes = used() - before;

    assertThat(index.size()).isEqualTo(100_000);
    assertThat(bytes).isBetween(10L << 20, 40L << 20);
  }

  static List<Long> seeds() {
    long fresh = new Random().nextLong();
    return List.of(1L, 2L, 3L, fresh);
  }

  private void put(String key, long offset, int priority, long sinceMs) {
    put(key, 0, offset, null, SessionRequest.turn(priority, Instant.ofEpochMilli(sinceMs)));
  }

  private void put(String key, int partition, long offset, @Nullable String provider, long turn) {
    index.put(
        new Waiting(
            key,
            new Position(partition, offset),
            "request-" + offset,
            1,
            turn,
            provider,
            "default",
            null,
            null,
            0));
  }

  /** The requests that are offered, by key, while each is answered like this. */
  private List<String> asked(ToIntFunction<String> live, Function<String, Answer> answer) {
    var asked = new ArrayList<String>();
    index.offer(
        live,
        it -> {
          asked.add(it.key());
          return answer.apply(it.key());
        });
    return asked;
  }

  private Optional<Waiting> next(String tenant) {
    return next(name -> name.equals(tenant) ? 0 : 1)
        .filter(it -> it.key().startsWith(tenant + "/"));
  }

  private Optional<Waiting> next(ToIntFunction<String> live) {
    var found = new AtomicReference<Waiting>();
    index.offer(
        live,
        it -> {
          found.set(it);
          return Answer.ENOUGH;
        });
    return Optional.ofNullable(found.get());
  }

  private List<String> drain() {
    var order = new ArrayList<String>();
    for (var next = next(tenant -> 0); next.isPresent(); next = next(tenant -> 0)) {
      Waiting waiting = next.get();
      order.add(waiting.key());
      index.used(waiting.key(), waiting.at());
      index.served(waiting.item().tenant());
    }
    return order;
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
