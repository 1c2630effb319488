package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.event.EventReaders;
import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /**
   * What one target is sent of its alarms, or of the rest, one message after the other. The same is
   * sent once in an hour, and no more than a number of messages. A summary says how many were held
   * back. A message that fails is tried again after waits of 2 s, 6 s, 18 s up to 5 min, for an
   * hour; then the next one follows. Used by the target's thread; {@link #trouble} by any.
   */
  static final class TargetDelivery {
    private static final Logger LOG = LoggerFactory.getLogger(TargetDelivery.class);

    /** Most messages in an hour. */
    static final int PER_HOUR = 20;

    /** How long the same is not sent again, a failure is tried, and health reports one. */
    static final Duration KEPT = Duration.ofHours(1);

    private static final long LONGEST_PAUSE_MS = Duration.ofMinutes(5).toMillis();

    private final NotifyTarget target;
    private final Sending sending;
    private final Waiting waiting;
    private final InstantSource clock;
    private final Telemetry telemetry;

    /** When what was let through within the hour was, by its key; not what was given up. */
    private final Map<String, Instant> recent = new HashMap<>();

    /** How many were held back since the last summary. */
    private final Map<Kind, Integer> held = new EnumMap<>(Kind.class);

    /** Failures in a row, over messages: a target that is down is not asked sooner for each. */
    private int failures;

    private Instant notBefore = Instant.EPOCH;

    private volatile @Nullable Trouble trouble;

    private record Trouble(String reason, Instant at) {}

    /** One try; gives why it failed. */
    interface Sending {
      Optional<Failure> send(Notification message) throws InterruptedException;
    }

    /** Waits; throws if no further try is wanted. */
    interface Waiting {
      void await(Duration pause) throws InterruptedException;
    }

    /** A target that was sent nothing yet. */
    TargetDelivery(
        NotifyTarget target,
        Sending sending,
        Waiting waiting,
        InstantSource clock,
        Telemetry telemetry) {
      this.target = target;
      this.sending = sending;
      this.waiting = waiting;
      this.clock = clock;
      this.telemetry = telemetry;
      for (String outcome : List.of("sent", "failed", "dropped")) {
        telemetry.count(Metric.NOTIFICATIONS, 0, target.type().label(), outcome);
      }
    }

    String name() {
      return target.name();
    }

    /** Whether it sends the target's alarms. */
    boolean alarms() {
      return target.on().contains(Kind.TROUBLE);
    }

    /** Why the last message failed, one line; empty if none did for an hour. */
    Optional<String> trouble() {
      return Optional.ofNullable(trouble)
          .filter(it -> clock.instant().isBefore(it.at().plus(KEPT)))
          .map(Trouble::reason);
    }

    /**
     * Sends what is for this target, each until it is accepted or given up.
     *
     * @throws InterruptedException if one was neither, because no further try is wanted
     */
    void send(List<Notification> notifications) throws InterruptedException {
      for (Notification each : notifications) {
        Notification seen = target.seen(each).orElse(null);
        if (seen == null || recent().containsKey(seen.key())) {
          continue;
        }
        if (hasRoom()) {
          deliver(seen);
        } else {
          held.merge(seen.kind(), 1, Integer::sum);
          count("dropped");
        }
      }
    }

    /** Sends how many were held back, once a message may be sent. */
    void summarize() throws InterruptedException {
      if (held.isEmpty() || !hasRoom()) {
        return;
      }
      int count = held.values().stream().mapToInt(Integer::intValue).sum();
      String kinds =
          held.entrySet().stream()
              .map(each -> each.getValue() + " " + each.getKey().label())
              .collect(Collectors.joining(", "));
      held.clear();
      Instant now = clock.instant();
      String id = "held-" + now.toEpochMilli();
      String headline = count + " more notifications were held back";
      Kind kind = alarms() ? Kind.TROUBLE : Kind.NOTICE;
      deliver(Notification.ofSystem(id, kind, id, headline, kinds, now));
    }

    private void deliver(Notification message) throws InterruptedException {
      Instant began = clock.instant();
      recent.put(message.key(), began);
      while (true) {
        Duration left = Duration.between(clock.instant(), notBefore);
        if (left.isPositive()) {
          waiting.await(left);
        }
        Failure failure = sending.send(message).orElse(null);
        if (failure == null) {
          failures = 0;
          trouble = null;
          count("sent");
          return;
        }
        Instant now = clock.instant();
        // No further message may come for weeks, and one that was rejected says little of the
        // target.
        trouble = new Trouble(failure.reason(), now);
        failures++;
        boolean givenUp = failure.permanent() || !now.isBefore(began.plus(KEPT));
        LOG.warn(
            "notification failed: target={} kind={} subject={} failures={} givenUp={} reason={}",
            target.name(),
            message.kind().label(),
            message.subject(),
            failures,
            givenUp,
            failure.reason());
        failures = failure.permanent() ? 0 : failures;
        notBefore = now.plus(pause());
        if (givenUp) {
          // The target did not get it, so the next one of its key is sent. It was asked all the
          // same,
          // so its quota counts it.
          recent.remove(message.key());
          recent.put("given up: " + message.key() + " " + now, now);
          count("failed");
          return;
        }
      }
    }

    private Duration pause() {
      double pause = Math.min(2_000 * Math.pow(3, failures - 1), (double) LONGEST_PAUSE_MS);
      return Duration.ofMillis(failures == 0 ? 0 : (long) pause);
    }

    private Map<String, Instant> recent() {
      Instant now = clock.instant();
      recent.values().removeIf(each -> !each.plus(KEPT).isAfter(now));
      return recent;
    }

    private boolean hasRoom() {
      return recent().size() < PER_HOUR;
    }

    private void count(String outcome) {
      telemetry.count(Metric.NOTIFICATIONS, target.type().label(), outcome);
    }
  }
}
