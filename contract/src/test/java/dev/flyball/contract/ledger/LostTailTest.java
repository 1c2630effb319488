package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.Position;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LostTailTest {
  private final LedgerStory story = LedgerStory.withCap(3);

  @ParameterizedTest(name = "request at {0}, {1}: missed up to {2}")
  @CsvSource({
    "94, running, ",
    "98, running, 99",
    "98, ended, 99",
    "90, ended, ",
    "90, settled, 101",
  })
  @DisplayName("what the ledger knows of a partition that ends at 95, and is gone")
  void whatIsGone(long offset, String then, @Nullable Long missed) {
    story.append(
        new LedgerEntry.Claim(
            "q",
            new Position(2, offset),
            offset + 1,
            ItemKey.parse("a/b/1"),
            1,
            "s",
            "r",
            null,
            1,
            0));
    if (!then.equals("running")) {
      assertThat(story.expire("s", story.state().offset())).isInstanceOf(Effect.Expired.class);
    }
    if (then.equals("settled")) {
      assertThat(story.settled("q", 100)).isInstanceOf(Effect.Settled.class);
    }

    assertThat(LostTail.find(story.state(), Map.of(0, 0L, 2, 95L)))
        .isEqualTo(missed == null ? List.of() : List.of(new LostTail(2, 95, missed)));
  }
}
