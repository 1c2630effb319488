package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EventRulesTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "ITEM_DEAD_LETTERED, a/b/1, DEAD, a",
    "SESSION_HUNG, a/b/1, HUNG, a",
    "SESSION_COMPLETED, a/b/1, ANALYSIS, a",
    "BUDGET_EXHAUSTED, -, TROUBLE,",
  })
  void eachEventHasItsKindAndTenant(
      EventType type, String subject, Notification.Kind kind, @Nullable String tenant) {
    assertThat(EventRules.of(event(type, subject, EventData.EMPTY)))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(kind);
          assertThat(made.tenant()).isEqualTo(tenant);
          assertThat(made.id()).isEqualTo("id-1-" + kind.label());
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = EventType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ITEM_DEAD_LETTERED", "SESSION_HUNG", "SESSION_COMPLETED", "BUDGET_EXHAUSTED"})
  void otherEventsLeadToNothing(EventType type) {
    assertThat(EventRules.of(event(type, "a/b/1", EventData.EMPTY))).isEmpty();
  }

  @Test
  void aSessionWithManyProcessesIsTrouble() {
    var large = EventData.EMPTY.with(Field.REASON, "70 processes, warned from 64");

    assertThat(EventRules.of(event(EventType.SESSION_PROGRESSED, "a/b/1", large)))
        .singleElement()
        .satisfies(made -> {
          assertThat(made.kind()).isEqualTo(Notification.Kind.TROUBLE);
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
        .containsExactly(Notification.Kind.TROUBLE);
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
        .containsExactly(Notification.Kind.TROUBLE);
  }

  @Test
  void aSpentBudgetNamesItsScopeAndTenant() {
    var data = EventData.EMPTY.with(Field.SCOPE, "tenant:acme");
    var spent = EventRules.of(event(EventType.BUDGET_EXHAUSTED, "-", data)).getFirst();

    assertThat(spent.subject()).isEqualTo("tenant:acme");
    assertThat(spent.tenant()).isEqualTo("acme");
  }

  static LifecycleEvent event(EventType type, String subject, EventData data) {
    return new LifecycleEvent("id-1", type, "/triage", subject, NOW, data);
  }
}
