package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.ops.console.view.ItemStory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ItemStoryTest extends ProjectionFixture {
  private static final String KEY = "a/b/1";

  @Test
  void thePermitComesBeforeTheAgentWhicheverClockIsAhead() {
    happens(EventType.ITEM_CHANGED, 0, null);
    happens(EventType.SESSION_SPAWNED, 44_106, "s1");
    happens(EventType.SESSION_REQUESTED, 40_000, null);
    happens(EventType.SESSION_FAILED, 90_000, "s1");
    happens(EventType.SESSION_IDENTIFIED, 44_300, "s1");
    happens(EventType.SESSION_CLAIMED, 47_500, "s1");
    happens(EventType.SESSION_HUNG, 46_000, "s1");

    assertThat(names())
        .containsExactly(
            "item.changed",
            "session.requested",
            "session.claimed",
            "session.spawned",
            "session.identified",
            "session.hung",
            "session.failed");
  }

  @Test
  void attemptsAndChangesOfTheItemStayInTheOrderOfTime() {
    happens(EventType.SESSION_CLAIMED, 1, "s1");
    happens(EventType.SESSION_TIMED_OUT, 2, "s1");
    happens(EventType.ITEM_DEFERRED, 3, null);
    happens(EventType.ITEM_CHANGED, 4, null);
    happens(EventType.SESSION_CLAIMED, 5, "s2");
    happens(EventType.SESSION_SPAWNED, 6, "s2");

    assertThat(names())
        .containsExactly(
            "session.claimed",
            "session.timedOut",
            "item.deferred",
            "item.changed",
            "session.claimed",
            "session.spawned");
  }

  private List<String> names() {
    return view.item(KEY).orElseThrow().events().stream().map(ItemStory.Event::name).toList();
  }

  private void happens(EventType type, long millis, @Nullable String session) {
    says(type, KEY, T.plusMillis(millis), EventData.EMPTY.with(Field.SESSION, session));
  }
}
