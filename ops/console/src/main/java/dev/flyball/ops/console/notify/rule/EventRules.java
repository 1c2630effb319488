package dev.flyball.ops.console.notify.rule;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import java.util.ArrayList;
import java.util.List;

/** Which notifications follow from an event, or from an alarm of the console. */
public final class EventRules {
  private EventRules() {}

  /** The notifications that follow from an event, usually none. */
  public static List<Notification> of(LifecycleEvent event) {
    var all = new ArrayList<Notification>();
    EventData data = event.data();
    if (survivors(data) > 0) {
      all.add(about(event, Kind.TROUBLE, "Processes outlive their session", survivorsLine(data)));
    }
    switch (event.type()) {
      case ITEM_DEAD_LETTERED ->
          all.add(about(event, Kind.DEAD, "Item was given up", reason(data)));
      case SESSION_HUNG -> all.add(about(event, Kind.HUNG, "Session is silent", reason(data)));
      case SESSION_COMPLETED ->
          all.add(about(event, Kind.ANALYSIS, "Analysis is ready", reason(data)));
      case SESSION_PROGRESSED -> {
        // Only a tree above sessions.processes.warn has a reason.
        if (!reason(data).isEmpty()) {
          all.add(about(event, Kind.TROUBLE, "Session has many processes", reason(data)));
        }
      }
      case BUDGET_EXHAUSTED -> all.add(budget(event));
      default -> {}
    }
    return all;
  }

  private static Notification about(
      LifecycleEvent event, Kind kind, String headline, String detail) {
    String tenant = TenantScope.tenantOf(event.subject());
    return new Notification(
        event.id() + "-" + kind.label(),
        kind,
        headline,
        event.subject(),
        tenant.isEmpty() ? null : tenant,
        headline,
        event.data().text(Field.TITLE).orElse(""),
        detail,
        event.time());
  }

  private static Notification budget(LifecycleEvent event) {
    String scope = event.data().text(Field.SCOPE).orElse("-");
    String tenant = Scope.tenantOf(scope);
    String headline = "Budget is spent";
    return new Notification(
        event.id() + "-" + Kind.TROUBLE.label(),
        Kind.TROUBLE,
        headline,
        scope,
        tenant.isEmpty() ? null : tenant,
        headline,
        "",
        reason(event.data()),
        event.time());
  }

  private static String reason(EventData data) {
    return data.text(Field.REASON).orElse("");
  }

  private static String survivorsLine(EventData data) {
    return survivors(data)
        + " alive after session "
        + data.text(Field.SESSION).orElse("-")
        + "; end them with ./flyball sweep on the runner's machine";
  }

  private static long survivors(EventData data) {
    Integer counted = null;
    try {
      counted = data.record(Field.RECEIPT, Receipt.class).map(Receipt::survivors).orElse(null);
    } catch (UnreadableRecord e) {
      // The field beside it may still have the number.
    }
    return counted == null ? data.number(Field.SURVIVORS).orElse(0) : counted;
  }
}
