package dev.flyball.runner.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The index of waiting requests (S0-47)")
class RequestIndexTest {
  private final RequestIndex index = new RequestIndex();

  @Test
  void priorityGoesFirstThenAge() {
    index.put("a/s/late", 0, 1, 1, 300);
    index.put("a/s/old", 0, 2, 2, 100);
    index.put("a/s/urgent", 0, 3, 1, 200);

    assertThat(drain()).containsExactly("a/s/urgent", "a/s/late", "a/s/old");
  }

  @Test
  void oneTenantsFloodDoesNotStarveAnothersOnlyItem() {
    for (int i = 0; i < 100; i++) {
      index.put("flood/s/" + i, 0, i, 1, i);
    }
    index.put("quiet/s/1", 0, 1000, 3, 999);

    assertThat(drain().subList(0, 2)).contains("quiet/s/1");
  }

  @Test
  void theTenantWithFewerLiveSessionsGoesFirst() {
    index.put("busy/s/1", 0, 1, 1, 1);
    index.put("idle/s/1", 0, 2, 4, 2);

    assertThat(index.next(tenant -> tenant.equals("busy") ? 2 : 0, each -> true).map(Waiting::key))
        .contains("idle/s/1");
  }

  @Test
  void aNewerRecordReplacesAndATombstoneWithdraws() {
    index.put("a/s/1", 0, 5, 1, 1);
    index.put("a/s/1", 0, 9, 1, 1);

    assertThat(index.current("a/s/1", 0, 5)).isFalse();
    assertThat(index.current("a/s/1", 0, 9)).isTrue();
    assertThat(index.size()).isOne();
    index.withdraw("a/s/1");
    assertThat(index.current("a/s/1", 0, 9)).isFalse();
    assertThat(index.size()).isZero();
  }

  @Test
  void aUsedRequestNeverRunsAgainAndIsStillTheWantedOne() {
    index.put("a/s/1", 0, 5, 1, 1);

    index.used("a/s/1", 0, 5);

    assertThat(drain()).isEmpty();
    assertThat(index.current("a/s/1", 0, 5)).isTrue();
  }

  @Test
  void usingAnOldRecordDoesNotTouchItsReplacement() {
    index.put("a/s/1", 0, 9, 1, 1);

    index.used("a/s/1", 0, 5);

    assertThat(drain()).containsExactly("a/s/1");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName(
      "any sequence of records leaves exactly the newest unused one of each item, in order")
  void theIndexIsWhatItsRecordsSay(long seed) {
    var random = new Random(seed);
    Map<String, Long> expected = new HashMap<>();
    for (int offset = 0; offset < 2_000; offset++) {
      String key = "t" + random.nextInt(3) + "/s/" + random.nextInt(50);
      int what = random.nextInt(10);
      if (what < 6) {
        index.put(key, 0, offset, random.nextInt(4), random.nextInt(100));
        expected.put(key, (long) offset);
      } else if (what < 8) {
        index.withdraw(key);
        expected.remove(key);
      } else {
        long at = expected.getOrDefault(key, 0L);
        index.used(key, 0, at);
        expected.remove(key);
        // Its place stays known, but it does not wait any more.
      }
    }

    assertThat(index.size()).isEqualTo(expected.size());
    Set<String> found = new HashSet<>();
    int last = -1;
    for (Optional<Waiting> next = next("t1"); next.isPresent(); next = next("t1")) {
      Waiting waiting = next.get();
      assertThat(waiting.offset()).isEqualTo(expected.get(waiting.key()));
      assertThat(waiting.priority()).isGreaterThanOrEqualTo(last);
      last = waiting.priority();
      found.add(waiting.key());
      index.used(waiting.key(), 0, waiting.offset());
    }
    assertThat(found)
        .isEqualTo(
            new HashSet<>(
                expected.keySet().stream().filter(key -> key.startsWith("t1/")).toList()));
  }

  @Test
  @DisplayName("a million waiting requests fit in 256 MB")
  void aMillionRequestsStaySmall() {
    long before = used();
    for (int i = 0; i < 1_000_000; i++) {
      index.put("acme/ado-main/" + (9_000_000 + i), i % 6, i, i % 4, 1_700_000_000_000L + i);
    }
    long bytes = used() - before;

    assertThat(index.size()).isEqualTo(1_000_000);
    assertThat(bytes).isLessThan(256L << 20);
  }

  static List<Long> seeds() {
    long fresh = new Random().nextLong();
    return List.of(1L, 2L, 3L, fresh);
  }

  private Optional<Waiting> next(String tenant) {
    return index.next(
        name -> name.equals(tenant) ? 0 : 1, each -> each.key().startsWith(tenant + "/"));
  }

  private List<String> drain() {
    var order = new ArrayList<String>();
    for (var next = index.next(tenant -> 0, each -> true);
        next.isPresent();
        next = index.next(tenant -> 0, each -> true)) {
      Waiting waiting = next.get();
      order.add(waiting.key());
      index.used(waiting.key(), waiting.partition(), waiting.offset());
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
