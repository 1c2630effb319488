package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.publish.KnownStore.LocalCopy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-9, S0-10, S0-27: the state tables are really written and read")
class KnownStoreTest {
  private static final String SOURCE = "acme/web";
  private static final ItemKey A = ItemKey.parse("acme/web/a/1");
  private static final ItemKey B = ItemKey.parse("acme/web/b");

  private static final List<ItemKey> BOTH = List.of(A, B);

  @TempDir Path folder;

  @Test
  void whatWasCommittedIsKnownAfterARestart() {
    try (var store = open()) {
      store.put(SOURCE, "c1", copy(Map.of(A, known("d1"))), true);
      store.put(SOURCE, "c2", copy(Map.of(B, known("e1 e2"))), false);
    }
    try (var store = open()) {
      assertThat(store.cursor(SOURCE)).contains("c2");
      assertThat(store.copy(SOURCE, BOTH))
          .isEqualTo(copy(Map.of(A, known("d1"), B, known("e1 e2"))));
      assertThat(store.cursor("acme/other")).isEmpty();
      assertThat(store.copy("acme/other", BOTH)).isEqualTo(LocalCopy.NOTHING);

      store.put(SOURCE, "c3", copy(Map.of(B, known("e"))), true);
      assertThat(store.copy(SOURCE, BOTH)).isEqualTo(copy(Map.of(B, known("e"))));
    }
  }

  @Test
  void onlyWhatIsAskedForIsRead() {
    var many = new java.util.HashMap<ItemKey, Known>();
    for (int i = 0; i < 1_201; i++) {
      many.put(ItemKey.parse(SOURCE + "/" + i), known("d" + i));
    }
    try (var store = open()) {
      store.put(SOURCE, "c1", copy(many), true);

      assertThat(store.copy(SOURCE, List.of(A))).isEqualTo(copy(Map.of()));
      assertThat(store.copy(SOURCE, many.keySet())).isEqualTo(copy(many));
    }
  }

  @Test
  void anOwnerKeepsItsNameAndAnotherIsMadeOnDemand() {
    var owner = new OwnerFile(folder.resolve("producer-id"));
    String name = owner.current();

    assertThat(new OwnerFile(folder.resolve("producer-id")).current()).isEqualTo(name);
    owner.renew();
    assertThat(new OwnerFile(folder.resolve("producer-id")).current())
        .isEqualTo(owner.current())
        .isNotEqualTo(name);
  }

  private KnownStore open() {
    return KnownStore.open(folder.resolve("producer.db"));
  }

  private static LocalCopy copy(Map<ItemKey, Known> known) {
    return new LocalCopy(known, Set.of("i1", "i2"));
  }

  private static Known known(String digests) {
    return new Known(List.of(digests.split(" ")), "1:title", Instant.EPOCH);
  }
}
