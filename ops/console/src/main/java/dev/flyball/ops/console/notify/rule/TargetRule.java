package dev.flyball.ops.console.notify.rule;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a target is notified of.
 *
 * @param on the kinds
 * @param tenant the only tenant whose items and sources it may name; null for all
 */
public record TargetRule(Set<NotificationKind> on, @Nullable String tenant) {
  public TargetRule {
    on = Set.copyOf(on);
  }

  /**
   * The notification as the target may see it; empty if it is not for it. What concerns the whole
   * system goes to every target, but its detail may name another tenant's item or spend.
   */
  public Optional<Notification> seen(Notification notification) {
    if (notification.kind() != NotificationKind.NOTICE && !on.contains(notification.kind())) {
      return Optional.empty();
    }
    if (tenant == null) {
      return Optional.of(notification);
    }
    if (notification.tenant() == null) {
      return Optional.of(notification.withoutDetail());
    }
    return notification.tenant().equals(tenant) ? Optional.of(notification) : Optional.empty();
  }
}
