package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.Position;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LostTailTest {
  private final LedgerStory story = LedgerStory.withCap(3);

  @Test
  void aPartitionThatEndsWhereTheLedgerKnowsItEndedHasLostNothing() {
    claim("s", 2, 94);

    assertThat(LostTail.find(story.state(), Map.of(0, 0L, 2, 95L))).isEmpty();
  }

  @Test
  void aRunningSessionsRequestThatIsGoneIsMissed() {
    claim("s", 2, 98);

    assertThat(LostTail.find(story.state(), Map.of(2, 95L)))
        .containsExactly(new LostTail(2, 95, 99));
  }

  @Test
  void anEndedSessionsRequestThatIsGoneIsMissed() {
    claim("s", 2, 98);
    story.append(new LedgerEntry.Expire("s", story.state().offset()));

    assertThat(LostTail.find(story.state(), Map.of(2, 95L)))
        .containsExactly(new LostTail(2, 95, 99));
  }

  @Test
  void aRecordThatSettledARequestAndIsGoneIsMissed() {
    claim("s", 2, 90);
    story.append(new LedgerEntry.Expire("s", story.state().offset()));
    story.append(new LedgerEntry.Settled("request-s", 100));

    assertThat(LostTail.find(story.state(), Map.of(2, 95L)))
        .containsExactly(new LostTail(2, 95, 101));
  }

  private void claim(String session, int partition, long offset) {
    assertThat(
            story.append(
                new LedgerEntry.Claim(
                    "request-" + session,
                    new Position(partition, offset),
                    offset + 1,
                    ItemKey.parse("acme/web/1"),
                    1,
                    session,
                    "r",
                    null,
                    1,
                    0)))
        .isInstanceOf(Effect.Claimed.class);
  }
}
