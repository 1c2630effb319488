package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.publish.PollHistory.LocalCopy;
import dev.flyball.producer.publish.PollHistory.PollRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-9, S0-10, S0-27: the state tables are really written and read")
class PollHistoryTest {
  private static final String SOURCE = "acme/web";
  private static final ItemKey A = ItemKey.parse("acme/web/a/1");
  private static final ItemKey B = ItemKey.parse("acme/web/b");

  private static final List<ItemKey> BOTH = List.of(A, B);

  @TempDir Path folder;

  @Test
  void whatWasCommittedIsKnownAfterARestart() {
    try (var history = open()) {
      history.stage(SOURCE, "c1", copy(Map.of(A, known("d1"))), true);
      history.promote(SOURCE);
      history.stage(SOURCE, "c2", copy(Map.of(B, known("e1 e2"))), false);
      history.promote(SOURCE);
    }
    try (var history = open()) {
      assertThat(history.copyAt(SOURCE, "c2", BOTH))
          .hasValue(copy(Map.of(A, known("d1"), B, known("e1 e2"))));
      assertThat(history.copyAt(SOURCE, "c1", BOTH)).isEmpty();
      assertThat(history.copyAt(SOURCE, null, BOTH)).isEmpty();
      assertThat(history.copyAt("acme/other", "c2", BOTH)).isEmpty();
    }
  }

  @Test
  void onlyWhatIsAskedForIsRead() {
    var many = new java.util.HashMap<ItemKey, Known>();
    for (int i = 0; i < 1_201; i++) {
      many.put(ItemKey.parse(SOURCE + "/" + i), known("d" + i));
    }
    try (var history = open()) {
      history.replace(SOURCE, "c1", copy(many));

      assertThat(history.copyAt(SOURCE, "c1", List.of(A))).hasValue(copy(Map.of()));
      assertThat(history.copyAt(SOURCE, "c1", many.keySet())).hasValue(copy(many));
      assertThat(history.newestCopy(SOURCE, many.keySet())).hasValue(copy(many));
      assertThat(history.isAt(SOURCE, "c1")).isTrue();
      assertThat(history.isAt(SOURCE, "c2")).isFalse();
    }
  }

  @Test
  void aCrashAfterTheCommitIsMadeGood() {
    try (var history = open()) {
      history.replace(SOURCE, "c1", copy(Map.of(A, known("d1"))));
      history.stage(SOURCE, "c2", copy(Map.of(A, known("d1 d2"))), false);
    }
    try (var history = open()) {
      assertThat(history.copyAt(SOURCE, "c2", BOTH)).hasValue(copy(Map.of(A, known("d1 d2"))));
    }
  }

  // T16
  @Test
  void aCrashBeforeTheCommitLeavesWhatWasKnown() {
    try (var history = open()) {
      history.replace(SOURCE, "c1", copy(Map.of(A, known("d1"))));
      history.stage(SOURCE, "c2", copy(Map.of(A, known("d1 d2"))), false);
    }
    try (var history = open()) {
      assertThat(history.copyAt(SOURCE, "c1", BOTH)).hasValue(copy(Map.of(A, known("d1"))));
      history.stage(SOURCE, "c3", copy(Map.of(B, known("e"))), true);
      history.promote(SOURCE);
      assertThat(history.copyAt(SOURCE, "c3", BOTH)).hasValue(copy(Map.of(B, known("e"))));
    }
  }

  @Test
  void runsAreKeptNewestFirst() {
    try (var history = open()) {
      for (int i = 0; i < 1_003; i++) {
        history.add(run("p" + i));
      }
      assertThat(history.runs(SOURCE, 2)).containsExactly(run("p1002"), run("p1001"));
      assertThat(history.runs(SOURCE, 5_000)).hasSize(1_000);
    }
  }

  @Test
  void aFileThatIsNoHistoryIsOneClearLine() throws IOException {
    Files.writeString(
        folder.resolve("producer.db"),
        "not a database, but long enough to be looked at".repeat(50));

    assertThatThrownBy(this::open)
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("producer.db cannot be used")
        .hasMessageNotContaining("\n");
  }

  @Test
  void aFolderThatCannotBeMadeIsOneClearLine() throws IOException {
    Path notAFolder = Files.writeString(folder.resolve("file"), "x");

    assertThatThrownBy(() -> PollHistory.open(notAFolder.resolve("data/producer.db")))
        .isInstanceOf(StartFailure.class)
        .hasMessageContainingAll(notAFolder.toString(), "--data");
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

  private PollHistory open() {
    return PollHistory.open(folder.resolve("producer.db"));
  }

  private static LocalCopy copy(Map<ItemKey, Known> known) {
    return new LocalCopy(known, Set.of("i1", "i2"));
  }

  private static Known known(String digests) {
    return new Known(List.of(digests.split(" ")), "1:title", "h", Instant.EPOCH);
  }

  private static PollRun run(String poll) {
    return new PollRun(
        SOURCE,
        poll,
        Instant.EPOCH,
        Instant.EPOCH.plusMillis(1_500),
        "failed",
        "why",
        5,
        4,
        3,
        2,
        1);
  }
}
