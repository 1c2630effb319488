package dev.flyball.ops.console.notify.rule;

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
 * Which reasons of a process's health people are notified of: each that lasts, once until it ends.
 * A reason is the same while only its figures change. One owner.
 */
public final class HealthWatch {
  /** How long a reason lasts before it is sent: a shorter one is over before a person looks. */
  public static final Duration LASTING = Duration.ofMinutes(1);

  private final Duration lasting;
  private final Map<String, Instant> since = new HashMap<>();
  private final Map<String, String> reported = new HashMap<>();

  /** Knows no reason yet; {@code lasting} is {@link #LASTING} but in tests. */
  public HealthWatch(Duration lasting) {
    this.lasting = lasting;
  }

  /** Takes the health of now; returns what is to be sent. */
  public List<Notification> look(HealthReport health, Instant now) {
    // A process that starts is healthy, and says what it waits for.
    List<String> reasons = health.status().equals("healthy") ? List.of() : health.reasons();
    List<String> shapes = reasons.stream().map(Notification::withoutFigures).toList();
    since.keySet().retainAll(shapes);
    reported.keySet().retainAll(shapes);
    var news = new ArrayList<Notification>();
    for (String reason : reasons) {
      String shape = Notification.withoutFigures(reason);
      Instant began = since.computeIfAbsent(shape, it -> now);
      boolean lasts = !now.isBefore(began.plus(lasting));
      if (lasts && reported.put(shape, reason) == null) {
        news.add(notification(health.status(), reason, now));
      }
    }
    return news;
  }

  private static Notification notification(String status, String reason, Instant now) {
    return Notification.ofSystem(
        "trouble-" + UUID.nameUUIDFromBytes((now + reason).getBytes(StandardCharsets.UTF_8)),
        Notification.Kind.TROUBLE,
        "Health is " + status,
        reason,
        now);
  }
}
