package dev.flyball.ops.console.notify;

import dev.flyball.contract.text.Labelled;
import dev.flyball.ops.console.notify.rule.Notification;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of notifications.
 *
 * @param targets where they go; none: nothing is read
 * @param consoleUrl the console as people reach it, for links ({@code console.url}); null for none
 */
public record NotifyConfig(List<NotifyTarget> targets, @Nullable String consoleUrl) {
  public NotifyConfig {
    targets = List.copyOf(targets);
  }

  /** Notifies of nothing. */
  public static NotifyConfig none() {
    return new NotifyConfig(List.of(), null);
  }

  /** The console's address for links, without a slash at the end; empty for no links. */
  String console() {
    return consoleUrl == null ? "" : consoleUrl.replaceAll("/+$", "");
  }

  /**
   * Where notifications go, and which. Secrets are read for each message, so that a new one
   * applies.
   *
   * @param name unique among the targets
   * @param on the kinds that it is notified of
   * @param tenant the only tenant whose items it may name; null for all
   * @param url the receiver's address; rejects one that is not allowed
   * @param secret signs each request as Standard Webhooks defines; gives nothing for no signature
   */
  public record NotifyTarget(
      String name,
      Type type,
      Set<Notification.Kind> on,
      @Nullable String tenant,
      Supplier<HookAddress> url,
      Supplier<Optional<String>> secret) {
    public NotifyTarget {
      on = Set.copyOf(on);
    }

    /** The shape of a request's body. */
    public enum Type implements Labelled {
      /** An incoming webhook of Slack. */
      SLACK,
      /** A workflow of Microsoft Teams that starts with a webhook request. */
      TEAMS,
      /** A receiver of JSON. */
      WEBHOOK;
    }

    /** The same with its alarms only, or without them: neither waits until the others are sent. */
    NotifyTarget only(boolean alarms) {
      Set<Notification.Kind> kinds =
          on.stream().filter(kind -> kind.alarm() == alarms).collect(Collectors.toSet());
      return new NotifyTarget(name, type, kinds, tenant, url, secret);
    }

    /**
     * The notification as the target may see it; empty if it is not for it. What concerns the whole
     * system goes to every target, but its detail may name another tenant's item or spend.
     */
    Optional<Notification> seen(Notification notification) {
      if (!on.contains(notification.kind())) {
        return Optional.empty();
      }
      if (tenant == null || tenant.equals(notification.tenant())) {
        return Optional.of(notification);
      }
      return Optional.of(notification.withoutDetail()).filter(it -> it.tenant() == null);
    }
  }
}
