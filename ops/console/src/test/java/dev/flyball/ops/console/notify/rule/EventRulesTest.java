package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventRulesTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");
  private static final String SURVIVORS = "rule of survivors";

  @ParameterizedTest
  @CsvSource({
    "ITEM_DEAD_LETTERED, a/b/1, DEAD, a",
    "SESSION_HUNG, a/b/1, HUNG, a",
    "SESSION_LOST, a/b/1, LOST, a",
    "SESSION_COMPLETED, a/b/1, ANALYSIS, a",
    "BREAKER_OPENED, a/b, BREAKER, a",
    "BUDGET_WARNED, -, BUDGET,",
    "BUDGET_EXHAUSTED, -, BUDGET,",
  })
  void eachEventHasItsKindAndTenant(
      EventType type, String subject, NotificationKind kind, @Nullable String tenant) {
    assertThat(EventRules.concerns(type)).isTrue();
    assertThat(EventRules.of(event(type, subject, EventData.EMPTY)))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(kind);
          assertThat(made.tenant()).isEqualTo(tenant);
          assertThat(made.id()).isEqualTo("id-1-" + kind.label());
        });
  }

  @Test
  void mostEventsLeadToNothing() {
    for (EventType type : EventType.values()) {
      if (!EventRules.concerns(type)) {
        assertThat(EventRules.of(event(type, "a/b/1", EventData.EMPTY))).as(type.name()).isEmpty();
      }
    }
    assertThat(EventRules.of(event(EventType.SESSION_PROGRESSED, "a/b/1", EventData.EMPTY)))
        .isEmpty();
  }

  @Test
  void aSessionWithManyProcessesIsTrouble() {
    var large = EventData.EMPTY.with(Field.REASON, "70 processes, warned from 64");

    assertThat(EventRules.concerns(EventType.SESSION_PROGRESSED)).isTrue();
    assertThat(EventRules.of(event(EventType.SESSION_PROGRESSED, "a/b/1", large)))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(NotificationKind.TROUBLE);
          assertThat(made.subject()).isEqualTo("a/b/1");
          assertThat(made.detail()).isEqualTo("70 processes, warned from 64");
        });
  }

  @Test
  void survivorsAreNotifiedOfBesideTheEndOfTheSession() {
    var lost =
        event(
            EventType.SESSION_LOST,
            "a/b/1",
            EventData.EMPTY.with(Field.SURVIVORS, 2).with(Field.SESSION, "s-1"));

    assertThat(EventRules.of(lost))
        .extracting(Notification::kind)
        .containsExactly(NotificationKind.SURVIVORS, NotificationKind.LOST);
    assertThat(EventRules.of(lost).getFirst().detail()).startsWith("2 alive after session s-1");
    assertThat(
            EventRules.of(
                event(EventType.SESSION_KILLED, "a/b/1", EventData.EMPTY.with(Field.SURVIVORS, 0))))
        .isEmpty();
  }

  @Test
  void aMalformedReceiptIsReportedAndSuppressesNoNotification() {
    var data = EventData.EMPTY.with(Field.RECEIPT, "torn").with(Field.SURVIVORS, 2);
    var lost = event(EventType.SESSION_LOST, "a/b/1", data);

    assertThat(EventRules.of(lost))
        .extracting(Notification::kind)
        .containsExactly(NotificationKind.SURVIVORS, NotificationKind.LOST);
    assertThat(EventRules.unreadable(lost))
        .hasValueSatisfying(line -> assertThat(line).startsWith("receipt: ").hasLineCount(1));
    assertThat(EventRules.unreadable(event(EventType.SESSION_LOST, "a/b/1", EventData.EMPTY)))
        .isEmpty();
  }

  @Test
  void budgetsOfOneScopeWarnAndEndAreTwoThings() {
    var data = EventData.EMPTY.with(Field.SCOPE, "tenant:acme");
    var warned = EventRules.of(event(EventType.BUDGET_WARNED, "-", data)).getFirst();
    var spent = EventRules.of(event(EventType.BUDGET_EXHAUSTED, "-", data)).getFirst();

    assertThat(warned.tenant()).isEqualTo("acme");
    assertThat(warned.key()).isNotEqualTo(spent.key());
  }

  @Test
  void anAlarmIsNotifiedOfUnlessItIsOldOrHasItsEvents() {
    var made = EventRules.alarm("rule of caps: 4 are live, since " + NOW, SURVIVORS, NOW);

    assertThat(made.orElseThrow().subject()).isEqualTo("rule of caps");
    assertThat(made.orElseThrow().detail()).startsWith("4 are live");
    assertThat(
            EventRules.alarm(
                "two sessions of one item: a/b/1, since " + NOW.minusSeconds(3_601),
                SURVIVORS,
                NOW))
        .isEmpty();
    assertThat(EventRules.alarm(SURVIVORS + ": 3 processes, since " + NOW, SURVIVORS, NOW))
        .isEmpty();
  }

  @Test
  void aTargetOfATenantSeesNothingOfAnother() {
    var rule = new TargetRule(Set.of(NotificationKind.DEAD, NotificationKind.INVARIANT), "a");
    var own = EventRules.of(event(EventType.ITEM_DEAD_LETTERED, "a/b/1", EventData.EMPTY));
    var other = EventRules.of(event(EventType.ITEM_DEAD_LETTERED, "x/b/1", EventData.EMPTY));
    var hung = EventRules.of(event(EventType.SESSION_HUNG, "a/b/1", EventData.EMPTY));
    var alarm = EventRules.alarm("two sessions of one item: x/b/1, since " + NOW, SURVIVORS, NOW);

    assertThat(rule.seen(own.getFirst())).isPresent();
    assertThat(rule.seen(other.getFirst())).isEmpty();
    assertThat(rule.seen(hung.getFirst())).isEmpty();
    assertThat(rule.seen(alarm.orElseThrow()).orElseThrow().detail()).isEmpty();
    assertThat(rule.seen(alarm.orElseThrow()).toString()).doesNotContain("x/b/1");
  }

  static LifecycleEvent event(EventType type, String subject, EventData data) {
    return new LifecycleEvent("id-1", type, "/triage", subject, NOW, data);
  }
}
