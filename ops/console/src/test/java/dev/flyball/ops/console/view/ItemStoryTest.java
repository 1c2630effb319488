package dev.flyball.ops.console.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ItemStoryTest {
  private static final Instant T = Instant.parse("2026-11-27T20:00:00Z");

  @Test
  void thePermitComesBeforeTheAgentWhicheverClockIsAhead() {
    assertThat(
            names(
                event("item.changed", 0, null),
                event("session.spawned", 44_106, "s1"),
                event("session.requested", 40_000, null),
                event("session.failed", 90_000, "s1"),
                event("session.identified", 44_300, "s1"),
                event("session.claimed", 47_500, "s1")))
        .containsExactly(
            "item.changed",
            "session.requested",
            "session.claimed",
            "session.spawned",
            "session.identified",
            "session.failed");
  }

  @Test
  void attemptsAndChangesOfTheItemStayInTheOrderOfTime() {
    assertThat(
            names(
                event("session.claimed", 1, "s1"),
                event("session.timedOut", 2, "s1"),
                event("item.deferred", 3, null),
                event("item.changed", 4, null),
                event("session.claimed", 5, "s2"),
                event("session.spawned", 6, "s2")))
        .containsExactly(
            "session.claimed",
            "session.timedOut",
            "item.deferred",
            "item.changed",
            "session.claimed",
            "session.spawned");
  }

  private static List<String> names(ItemStory.Event... events) {
    return new ItemStory(null, null, Arrays.asList(events))
        .events().stream().map(ItemStory.Event::name).toList();
  }

  private static ItemStory.Event event(String name, long millis, @Nullable String session) {
    return new ItemStory.Event(
        T.plusMillis(millis), "flyball." + name + ".v1", "test", session, RecordJson.parse("{}"));
  }
}
