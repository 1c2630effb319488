package dev.flyball.ops.console.projection;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.testkit.Sample;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two tenants with the same data; each query of a reader of the one is asked for the other's. */
class TenantScopeTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final String KEY = "other/b/1";

  /** How every query asks for the other tenant's data. */
  private static final Map<String, @Nullable Object[]> ASKED =
      Map.ofEntries(
          entry("ps", of(T, Duration.ofMinutes(10))),
          entry("items", of(ItemFilter.ALL)),
          entry("count", of(new ItemFilter(null, "other", null, null, null, 1))),
          entry("keysOf", of("1")),
          entry("item", of(KEY)),
          entry("why", of(KEY, T, Map.of())),
          entry("next", of(9, T, Map.of())),
          entry("analysis", of(KEY)),
          entry("ended", of(9, null)),
          entry("endedOf", of(KEY)),
          entry("totals", of(T.minusSeconds(9))),
          entry("sessions", of("other")),
          entry("newestSession", of(KEY)),
          entry("sources", of()),
          entry("polls", of("other/b", 9)),
          entry("deadLetters", of(9, null)),
          entry("actions", of(9, null)),
          entry("spend", of(T)),
          entry("budget", of("tenant:other", T)),
          entry("caps", of()),
          entry("windows", of("1m", T)),
          entry("summary", of()));

  /** What belongs to no tenant. */
  private static final Set<String> OF_ALL = Set.of("open", "close");

  @TempDir Path folder;

  @Test
  @DisplayName("S3-9: no query of a reader of one tenant shows anything of another")
  void everyQueryKeepsToItsTenants() throws ReflectiveOperationException {
    try (var projection = new Projection(folder, 9, 9)) {
      projection.commit(() -> fill(projection));
    }
    try (var all = ConsoleView.open(folder).orElseThrow();
        var own = ConsoleView.open(folder, TenantScope.of("acme")).orElseThrow();
        var none = ConsoleView.open(folder, TenantScope.of()).orElseThrow()) {
      for (Method query : queries()) {
        @Nullable Object[] values = ASKED.get(query.getName());
        assertThat(values).as("%s has no entry in this test", query.getName()).isNotNull();
        String everything = text(query.invoke(all, values));
        String seen = text(query.invoke(own, values));
        assertThat(everything).as(query.getName()).isNotEqualTo(seen);
        assertThat(seen).as(query.getName()).doesNotContain("other");
        assertThat(text(query.invoke(none, values)))
            .as(query.getName())
            .doesNotContain("other", "acme");
      }
    }
  }

  @Test
  void reasonsOfAllTenantsNameNoFiguresToAReaderOfOne() {
    try (var projection = new Projection(folder, 9, 9)) {
      projection.commit(() -> {
        LedgerState ledger = fold(LedgerState.empty(), new LedgerEntry.Init(1, 45_000, List.of()));
        ledger = fold(ledger, new LedgerEntry.Runner("r1", 1, "A", 1, null, null, null, null));
        ledger = fold(ledger, claim("other"));
        ledger = fold(ledger, new LedgerEntry.Budget("global", limit(), 0, "ann", "why"));
        ledger = fold(ledger, new LedgerEntry.Spend("other", "t1", 7_654_321, 0));
        var outstanding = new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, null);
        var queued = new ItemPhase.Queued(outstanding, Sample.verdict());
        projection.items.put("acme/b/1", ProjectionTest.state(queued, T));
        projection.ledger.put(ledger, T);
        projection.ledger.keep(ledger);
      });
    }
    try (var all = ConsoleView.open(folder).orElseThrow();
        var own = ConsoleView.open(folder, TenantScope.of("acme")).orElseThrow()) {
      assertThat(text(all.why("acme/b/1", T, Map.of())))
          .contains("1 of 1 sessions are live", "7.654321 USD spent", "1 of 1 slots taken");
      assertThat(text(own.why("acme/b/1", T, Map.of())))
          .contains("global is at its cap", "the budget of global allows", "no runner")
          .doesNotContain("1 of 1", "USD");
    }
  }

  @Test
  void aViewerReadsTheTenantsOfItsRoles() {
    var one = new Viewer("ann", Map.of("acme", AccessRole.VIEWER));
    assertThat(TenantScope.of(one)).isEqualTo(TenantScope.of("acme"));
    assertThat(TenantScope.of(new Viewer("ann", Map.of())).covers("acme")).isFalse();
    assertThat(TenantScope.of(new Viewer("ann", Map.of("*", AccessRole.VIEWER))))
        .isEqualTo(TenantScope.ALL);
    assertThat(TenantScope.of("acme").coversScope("source:other/b")).isFalse();
    assertThat(TenantScope.of("acme").coversScope("provider:anthropic")).isTrue();
  }

  @Test
  void figuresOfAllTenantsAreOnlyForAReaderOfAll() {
    try (var projection = new Projection(folder, 9, 9)) {
      projection.commit(() -> {
        LedgerState ledger = fold(LedgerState.empty(), new LedgerEntry.Init(3, 45_000, List.of()));
        ledger = fold(ledger, new LedgerEntry.Budget("global", limit(), 0, "ann", "why"));
        ledger = fold(ledger, claim("other"));
        projection.ledger.keep(ledger);
      });
    }
    try (var all = ConsoleView.open(folder).orElseThrow();
        var own = ConsoleView.open(folder, TenantScope.of("acme")).orElseThrow()) {
      assertThat(all.caps()).containsExactly(new ScopeCap("global", 3, 1));
      assertThat(own.caps()).containsExactly(new ScopeCap("global", 3, null));
      assertThat(all.spend(T).budgets()).hasSize(1);
      assertThat(own.spend(T).budgets()).isEmpty();
    }
  }

  private static List<Method> queries() {
    return Arrays.stream(ConsoleView.class.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !method.isSynthetic() && !OF_ALL.contains(method.getName()))
        .toList();
  }

  private static String text(Object answer) {
    Object plain =
        answer instanceof Optional<?> maybe ? maybe.map(List::of).orElse(List.of()) : answer;
    return RecordJson.write(plain);
  }

  private static @Nullable Object[] of(@Nullable Object... values) {
    return values;
  }

  private static void fill(Projection projection) {
    LedgerState ledger = LedgerState.empty();
    ledger = fold(ledger, new LedgerEntry.Init(3, 45_000, List.of()));
    int offset = 0;
    for (String tenant : List.of("acme", "other")) {
      String key = tenant + "/b/1";
      projection.items.put(key, ProjectionTest.state(new ItemPhase.New(), T));
      projection.items.analysis(key, ProjectionTest.analysis("of " + tenant));
      waits(projection, tenant + "/c/1");
      for (EventType type : List.of(EventType.SESSION_CLAIMED, EventType.SESSION_COMPLETED)) {
        projection.event(event(type, key, tenant), T);
      }
      projection.event(event(EventType.POLL_STARTED, tenant + "/b", tenant), T);
      projection.event(event(EventType.COMMAND_DONE, key, tenant), T);
      var letter = new DeadLetter("of " + tenant, "t", 0, 0, null, "console", T);
      projection.deadLetter(
          new ConsumerRecord<>("dead", 0, offset++, key, RecordJson.bytes(letter)));
      var budget = new LedgerEntry.Budget("tenant:" + tenant, limit(), -1, "ann", "of " + tenant);
      projection.ledger.entry(budget, offset++, T);
      projection.metrics.written(window(tenant));
      ledger = fold(ledger, budget);
      ledger =
          fold(ledger, new LedgerEntry.Pause("source:" + tenant + "/b", null, -1, "ann", "why"));
      ledger = fold(ledger, new LedgerEntry.Cap("source:" + tenant + "/c", 2, -1, "ann", "why"));
      ledger = fold(ledger, claim(tenant));
    }
    projection.ledger.put(ledger, T);
    projection.ledger.keep(ledger);
  }

  private static void waits(Projection projection, String key) {
    var out = new ItemPhase.Outstanding("q", ItemPhase.Attempts.FIRST, T, null, null);
    var state = ProjectionTest.state(new ItemPhase.Queued(out, Sample.verdict()), T);
    projection.items.put(key, state);
    projection.items.request(key, Sample.request("q", T, state.snapshot()));
  }

  private static MetricWindow window(String tenant) {
    return new MetricWindow(
        "1m", T, tenant, Map.of(), 1, 1, null, null, 0, 0, 0, 0, Map.of(), 0, Map.of());
  }

  private static Limits limit() {
    return new Limits(1_000_000L, null);
  }

  private static LedgerState fold(LedgerState ledger, LedgerEntry entry) {
    return ledger.fold(entry, ledger.offset() + 1, T).state();
  }

  private static LedgerEntry claim(String tenant) {
    return Sample.claim(tenant + "/c/2", "q-" + tenant, tenant + "-live");
  }

  private static LifecycleEvent event(EventType type, String subject, String tenant) {
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, type.type().contains("session") ? tenant + "-s1" : null)
            .with(Field.POLL, tenant + "-poll")
            .with(Field.COMMAND, "retry")
            .with(Field.WHO, "ann")
            .with(Field.REASON, "of " + tenant);
    return new LifecycleEvent(tenant + type, type, "/runner/r1", subject, T, data);
  }
}
