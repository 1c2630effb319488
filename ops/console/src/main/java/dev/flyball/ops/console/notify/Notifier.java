package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.event.EventReaders;
import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.Telemetry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Notifies the configured targets of events, of the console's alarms and of its process's health.
 * Each target has a reader, {@code notify-NAME}, so that no target waits for another. Its alarms
 * have another one, {@code notify-alarms.NAME}, so that they do not wait for an hour behind a
 * message that fails.
 */
public final class Notifier implements AutoCloseable {
  private static final Map<String, String> SLOW =
      Map.of(
          // So that the position behind a record says that its messages are sent.
          "max.poll.records",
          "1",
          // Each message may be tried for an hour, and then another member is no better.
          "max.poll.interval.ms",
          Long.toString(Duration.ofDays(1).toMillis()));

  /** How often health is looked at, and the position kept of events that led to no message. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final InstantSource clock = InstantSource.system();
  private final HttpClient client;
  private final Supplier<HealthReport> report;
  private final List<TargetDelivery> targets;
  private final EventReaders readers;

  /**
   * Starts to read and to send.
   *
   * @param client posts messages, and is shut down with the notifier; must follow no redirect
   * @param report the health of the whole process; must not wait
   */
  public Notifier(
      NotifyConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      HttpClient client,
      Supplier<HealthReport> report) {
    this.readers = new EventReaders(kafka);
    this.client = client;
    this.report = report;
    var sender = new MessageSender(client, new MessageText(config.console()));
    targets =
        config.targets().stream()
            .flatMap(target -> Stream.of(target.only(true), target.only(false)))
            .filter(target -> !target.on().isEmpty())
            .map(target ->
                new TargetDelivery(
                    target,
                    message -> sender.send(target, message, clock.instant()),
                    readers::pause,
                    clock,
                    telemetry))
            .toList();
    targets.forEach(each -> readers.start("notify-" + place(each), SLOW, new Follower(each)));
  }

  /** Sends one message to a target now; returns what went wrong, in one line, if anything did. */
  public static Optional<String> test(
      NotifyTarget target, NotifyConfig config, HttpClient client, Instant now) {
    var message =
        Notification.ofSystem(
            "test-" + UUID.randomUUID(),
            Notification.Kind.NOTICE,
            "test",
            "Test message of Flyball",
            "Notifications for target " + target.name() + " arrive here",
            now);
    try {
      return new MessageSender(client, new MessageText(config.console()))
          .send(target, message, now)
          .map(Failure::reason);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  /** Degraded with each target whose last message failed, and the reason. */
  public Health health() {
    return Health.degraded(
        targets.stream()
            .flatMap(target -> target.trouble().map(why -> condition(target.name(), why)).stream())
            .distinct()
            .toList());
  }

  private static Health.Condition condition(String target, String why) {
    return new Health.Condition("notify", target, "notifications to " + target + ": " + why);
  }

  private static String place(TargetDelivery target) {
    return (target.alarms() ? "alarms." : "") + target.name();
  }

  /** Passes on what concerns one target. Used by its reader. */
  private final class Follower implements EventReaders.Handler {
    private final TargetDelivery target;
    private final Notification.OfHealth ofHealth = new Notification.OfHealth();
    private Instant looked = Instant.EPOCH;

    Follower(TargetDelivery target) {
      this.target = target;
    }

    @Override
    public void handle(List<LifecycleEvent> events, Runnable keep) throws InterruptedException {
      List<Notification> found =
          events.stream().flatMap(it -> Notification.of(it).stream()).toList();
      target.send(found);
      Instant now = clock.instant();
      boolean look = !now.isBefore(looked.plus(LOOK));
      if (look || !found.isEmpty()) {
        keep.run();
      }
      if (look) {
        looked = now;
        if (target.alarms()) {
          target.send(ofHealth.news(report.get(), now));
        }
        target.summarize();
      }
    }
  }

  @Override
  public void close() {
    readers.close();
    client.shutdownNow();
  }
}
