package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PersistentMapTest {

  /** Keys whose hashes collide in many bits, or wholly. */
  private record Key(int id, int hashes) {
    @Override
    public int hashCode() {
      return id % hashes * 0x08000001;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64, 5000})
  void answersAsAHashMapDoes(int hashes) {
    var random = new SplittableRandom(hashes);
    Map<Key, Integer> model = new HashMap<>();
    PersistentMap<Key, Integer> map = PersistentMap.empty();
    for (int i = 0; i < 4_000; i++) {
      var key = new Key(random.nextInt(300), hashes);
      if (random.nextInt(3) == 0) {
        model.remove(key);
        map = map.without(key);
      } else {
        model.put(key, i);
        map = map.with(key, i);
      }
      assertThat(map.get(key)).isEqualTo(model.get(key));
      assertThat(map.size()).isEqualTo(model.size());
    }
    Map<Key, Integer> seen = new HashMap<>();
    map.forEach(seen::put);
    assertThat(seen).isEqualTo(model);
    var asked = new ArrayList<Integer>();
    assertThat(map.any(value -> !asked.add(value))).isFalse();
    assertThat(asked).containsExactlyInAnyOrderElementsOf(model.values());
  }

  @Test
  void theSearchForAValueEndsAtTheFirst() {
    PersistentMap<Key, Integer> map = PersistentMap.empty();
    for (int i = 0; i < 300; i++) {
      map = map.with(new Key(i, 64), i);
    }
    var asked = new ArrayList<Integer>();

    assertThat(map.any(value -> asked.add(value) && asked.size() == 7)).isTrue();
    assertThat(asked).hasSize(7);
  }

  @Test
  void anOlderVersionStaysAsItWas() {
    PersistentMap<String, Integer> one = PersistentMap.<String, Integer>empty().with("a", 1);
    PersistentMap<String, Integer> two = one.with("a", 2).with("b", 3);

    assertThat(one.get("a")).isEqualTo(1);
    assertThat(one.get("b")).isNull();
    assertThat(two.without("a").without("b").size()).isZero();
  }
}
