package dev.flyball.ops.console.notify.rule;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.ops.telemetry.HealthReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Which notifications follow from an event, and from a process's health: each of its conditions
 * that lasts, once until it ends, and a broken invariant immediately. One owner.
 */
public final class NotificationRules {
  /** How long a condition lasts before it is sent: a shorter one is over before a person looks. */
  static final Duration LASTING = Duration.ofMinutes(1);

  /** When each condition in force is sent; {@link Instant#MAX} after that. */
  private final Map<String, Instant> due = new HashMap<>();

  /** Takes the health of now; returns what is to be sent. */
  public List<Notification> of(HealthReport health, Instant now) {
    // A process that starts is healthy, and says what it waits for.
    List<Condition> conditions = health.status().equals("healthy") ? List.of() : health.reasons();
    due.keySet().retainAll(conditions.stream().map(Condition::cause).toList());
    var news = new ArrayList<Notification>();
    for (Condition each : conditions) {
      boolean broken = each.code().equals(BrokenInvariant.CODE);
      Instant at = due.computeIfAbsent(each.cause(), _ -> broken ? now : now.plus(LASTING));
      if (now.isBefore(at)) {
        continue;
      }
      due.put(each.cause(), Instant.MAX);
      byte[] id = (now + each.cause()).getBytes(StandardCharsets.UTF_8);
      news.add(
          Notification.ofSystem(
              "trouble-" + UUID.nameUUIDFromBytes(id),
              Kind.TROUBLE,
              each.cause(),
              broken ? "Invariant is broken" : "Health is " + health.status(),
              each.text(),
              now));
    }
    return news;
  }

  /** The notifications that follow from an event, usually none. */
  public static List<Notification> of(LifecycleEvent event) {
    var all = new ArrayList<Notification>();
    EventData data = event.data();
    String item = event.subject();
    String reason = data.text(Field.REASON).orElse("");
    long survivors = survivors(data);
    if (survivors > 0) {
      String line =
          survivors
              + " alive after session "
              + data.text(Field.SESSION).orElse("-")
              + "; end them with ./flyball sweep on the runner's machine";
      all.add(about(item, event, Kind.TROUBLE, "Processes outlive their session", line));
    }
    switch (event.type()) {
      case ITEM_DEAD_LETTERED ->
          all.add(about(item, event, Kind.DEAD, "Item was given up", reason));
      case SESSION_HUNG -> all.add(about(item, event, Kind.HUNG, "Session is silent", reason));
      case SESSION_COMPLETED ->
          all.add(about(item, event, Kind.ANALYSIS, "Analysis is ready", reason));
      case SESSION_PROGRESSED -> {
        // Only a tree above sessions.processes.warn has a reason.
        if (!reason.isEmpty()) {
          all.add(about(item, event, Kind.TROUBLE, "Session has many processes", reason));
        }
      }
      case BUDGET_EXHAUSTED -> {
        String scope = data.text(Field.SCOPE).orElse("-");
        all.add(about(scope, event, Kind.TROUBLE, "Budget is spent", reason));
      }
      default -> {}
    }
    return all;
  }

  /** The notification of an event about an item, or about a scope of the budget. */
  private static Notification about(
      String subject, LifecycleEvent event, Kind kind, String headline, String detail) {
    String tenant =
        subject.equals(event.subject()) ? TenantScope.tenantOf(subject) : Scope.tenantOf(subject);
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
