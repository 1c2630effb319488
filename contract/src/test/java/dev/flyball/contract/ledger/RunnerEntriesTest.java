package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.contract.ledger.LedgerEntry.Runner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What runners announce, and what scopes and tokens are called")
class RunnerEntriesTest {
  private static final Duration LEASE = Duration.ofSeconds(45);

  private final LedgerStory story = LedgerStory.withCap(4);

  @Test
  void aRunnerLivesForTwoLeasesAfterItsNewestEntry() {
    story.append(runner("r1", null));
    story.at(NOON.plus(LEASE)).append(runner("r2", null));

    LedgerState state = story.state();
    assertThat(state.live(NOON.plus(LEASE.multipliedBy(2)))).hasSize(2);
    assertThat(state.live(NOON.plus(LEASE.multipliedBy(2)).plusMillis(1)))
        .extracting(Runner::id)
        .containsExactly("r2");
    assertThat(state.heard("r1")).contains(NOON);
    assertThat(state.heard("r3")).isEmpty();
  }

  @Test
  void theLeastThatALiveRunnerAnnouncesCountsAndOurOwnOnlyWhereNoneSaysMore() {
    Map<String, Long> configured = Map.of("default", 7L, "deep", 8L);
    assertThat(story.state().reserves(configured, NOON)).isEqualTo(configured);

    story.append(runner("r1", Map.of("default", 5L)));
    story.append(runner("r2", Map.of("default", 3L)));
    assertThat(story.state().reserves(configured, NOON)).isEqualTo(Map.of("default", 3L));

    story.append(runner("r3", null));
    assertThat(story.state().reserves(configured, NOON))
        .isEqualTo(Map.of("default", 3L, "deep", 8L));
  }

  @ParameterizedTest
  @CsvSource({
    ",, deep, acme/web, true, every session",
    "deep,, deep, acme/web, true, profile deep",
    "deep,, fast, acme/web, false, profile deep",
    ", acme/web, deep, acme/web, true, source acme/web",
    ", acme/web, deep, acme/app, false, source acme/web",
    "deep, acme/web, deep, acme/web, true, profile deep in source acme/web",
    "deep, acme/web, fast, acme/web, false, profile deep in source acme/web",
    "deep, acme/web, deep, acme/app, false, profile deep in source acme/web",
  })
  void aRunnerDeclinesAProfileASourceOrBoth(
      @Nullable String profile,
      @Nullable String source,
      String asked,
      String of,
      boolean covered,
      String concerns) {
    var decline = new Decline(profile, source, "agent-login", "log in");

    assertThat(decline.covers(asked, of)).isEqualTo(covered);
    assertThat(decline.text()).isEqualTo(concerns + ": agent-login: log in");
    var runner = new Runner("r1", 1, "A", 4, null, List.of("deep"), List.of(decline), null);
    assertThat(runner.declines(asked, of).isPresent()).isEqualTo(covered);
    assertThat(runner.has("deep")).isTrue();
    assertThat(runner.has("fast")).isFalse();
  }

  @Test
  void aReasonIsCutAtItsBound() {
    String longest = "x".repeat(Decline.LONGEST);
    assertThat(new Decline(null, null, "c", longest).reason()).isEqualTo(longest);
    assertThat(new Decline(null, null, "c", longest + "x").reason())
        .hasSize(Decline.LONGEST)
        .endsWith("...");
  }

  @ParameterizedTest
  @CsvSource({
    "tenant:acme, acme",
    "source:acme/web, acme",
    "source:acme, ''",
    "provider:acme/web, ''",
    "global, ''",
  })
  void aScopeBelongsToATenantOrToNone(String scope, String tenant) {
    assertThat(Scope.tenantOf(scope)).isEqualTo(tenant);
  }

  @Test
  void aTokenIsATopicAndAnOffset() {
    assertThat(Token.parse("a:b:12")).isEqualTo(new Token("a:b", 12));
    assertThat(new Token("t", 3)).hasToString("t:3");
    assertThatThrownBy(() -> Token.parse(":3")).isInstanceOf(IllegalArgumentException.class);
  }

  private static Runner runner(String id, @Nullable Map<String, Long> reserves) {
    return new Runner(id, 1, "A", 4, null, null, null, reserves);
  }
}
