package dev.flyball.ops.console.notify.rule;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
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
    String reason = data.text(Field.REASON).orElse("");
    long survivors = survivors(data);
    if (survivors > 0) {
      String line =
          survivors
              + " alive after session "
              + data.text(Field.SESSION).orElse("-")
              + "; end them with ./flyball sweep on the runner's machine";
      all.add(about(event, Kind.TROUBLE, "Processes outlive their session", line));
    }
    switch (event.type()) {
      case ITEM_DEAD_LETTERED -> all.add(about(event, Kind.DEAD, "Item was given up", reason));
      case SESSION_HUNG -> all.add(about(event, Kind.HUNG, "Session is silent", reason));
      case SESSION_COMPLETED -> all.add(about(event, Kind.ANALYSIS, "Analysis is ready", reason));
      case SESSION_PROGRESSED -> {
        // Only a tree above sessions.processes.warn has a reason.
        if (!reason.isEmpty()) {
          all.add(about(event, Kind.TROUBLE, "Session has many processes", reason));
        }
      }
      case BUDGET_EXHAUSTED -> {
        String scope = data.text(Field.SCOPE).orElse("-");
        all.add(
            about(event, Kind.TROUBLE, scope, Scope.tenantOf(scope), "Budget is spent", reason));
      }
      default -> {}
    }
    return all;
  }

  private static Notification about(
      LifecycleEvent event, Kind kind, String headline, String detail) {
    String item = event.subject();
    return about(event, kind, item, TenantScope.tenantOf(item), headline, detail);
  }

  private static Notification about(
      LifecycleEvent event,
      Kind kind,
      String subject,
      String tenant,
      String headline,
      String detail) {
    return new Notification(
        event.id() + "-" + kind.label(),
        kind,
        headline,
        subject,
        tenant.isEmpty() ? null : tenant,
        headline,
        event.data().text(Field.TITLE).orElse(""),
        detail,
        event.time());
  }

  private static long survivors(EventData data) {
    try {
      return data.survivors().orElse(0);
    } catch (UnreadableRecord e) {
      // The field beside the receipt may still have the number.
      return data.number(Field.SURVIVORS).orElse(0);
    }
  }
}
