package dev.flyball.ops.console.notify.rule;

import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.ops.telemetry.HealthReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Which conditions of a process's health people are notified of: each that lasts, once until it
 * ends, and a broken invariant immediately. One owner.
 */
public final class HealthWatch {
  /** How long a condition lasts before it is sent: a shorter one is over before a person looks. */
  public static final Duration LASTING = Duration.ofMinutes(1);

  private final Duration lasting;
  private final Map<String, Instant> since = new HashMap<>();
  private final Set<String> reported = new HashSet<>();

  /** Knows no condition yet; {@code lasting} is {@link #LASTING} but in tests. */
  public HealthWatch(Duration lasting) {
    this.lasting = lasting;
  }

  /** Takes the health of now; returns what is to be sent. */
  public List<Notification> look(HealthReport health, Instant now) {
    // A process that starts is healthy, and says what it waits for.
    List<Condition> conditions = health.status().equals("healthy") ? List.of() : health.reasons();
    List<String> causes = conditions.stream().map(Condition::cause).toList();
    since.keySet().retainAll(causes);
    reported.retainAll(causes);
    var news = new ArrayList<Notification>();
    for (Condition each : conditions) {
      Instant began = since.computeIfAbsent(each.cause(), it -> now);
      boolean broken = each.code().equals(BrokenInvariant.CODE);
      boolean lasts = broken || !now.isBefore(began.plus(lasting));
      if (lasts && reported.add(each.cause())) {
        news.add(
            notification(
                broken ? "Invariant is broken" : "Health is " + health.status(), each, now));
      }
    }
    return news;
  }

  private static Notification notification(String headline, Condition condition, Instant now) {
    String id = now + condition.cause();
    return Notification.ofSystem(
        "trouble-" + UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)),
        Notification.Kind.TROUBLE,
        condition.cause(),
        headline,
        condition.text(),
        now);
  }
}
