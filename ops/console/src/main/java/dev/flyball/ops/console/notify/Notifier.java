package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.notify.rule.EventRules;
import dev.flyball.ops.console.notify.rule.HealthWatch;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.NotificationKind;
import dev.flyball.ops.console.notify.rule.RetrySchedule;
import dev.flyball.ops.console.notify.rule.TargetPlaces;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.Telemetry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the configured targets of events, of the console's alarms and of its process's health.
 * One thread reads the events, one for each target sends; nothing else waits for either.
 */
public final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  /** How often health is looked at. */
  private static final Duration HEALTH = Duration.ofSeconds(5);

  /** How often a position is committed behind which nothing waited. */
  private static final Duration COMMIT = Duration.ofSeconds(10);

  private final KafkaClients clients;
  private final InstantSource clock;
  private final HttpClient client;
  private final String survivorsRule;
  private final Supplier<HealthReport> report;

  /** Used by the thread that reads the events. */
  private final HealthWatch watch;

  private final List<TargetLoop> targets = new ArrayList<>();
  private final TargetPlaces places;
  private final List<Thread> senders = new ArrayList<>();
  private @Nullable Thread reader;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Whether a message ended since the last commit; set by the targets' threads. */
  private final AtomicBoolean ended = new AtomicBoolean();

  private Notifier(
      NotifyConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      Wiring wiring,
      InstantSource clock) {
    this.clients = new KafkaClients(kafka, "console");
    this.clock = clock;
    this.client = wiring.client();
    this.survivorsRule = wiring.survivorsRule();
    this.report = wiring.health();
    this.watch = new HealthWatch(wiring.lasting());
    var text = new MessageText(config.console());
    for (NotifyTarget target : config.targets()) {
      MessageSender sender = MessageSender.of(target, text, client, clock);
      targets.add(
          new TargetLoop(target, sender, config.limits(), wiring.retries(), telemetry, clock));
    }
    this.places = new TargetPlaces(config.targets().stream().map(NotifyTarget::name).toList());
  }

  /**
   * What else a notifier needs.
   *
   * @param client posts messages, and is shut down with the notifier; must follow no redirect
   * @param retries when a message is tried again
   * @param survivorsRule the alarm that has a notification for each event already
   * @param health of the whole process; must not wait
   * @param lasting how long a reason of that lasts before it is sent
   */
  public record Wiring(
      HttpClient client,
      RetrySchedule retries,
      String survivorsRule,
      Supplier<HealthReport> health,
      Duration lasting) {}

  /** Starts to read and to send. */
  public static Notifier start(
      NotifyConfig config, KafkaSettings kafka, Telemetry telemetry, Wiring wiring) {
    var notifier = new Notifier(config, kafka, telemetry, wiring, InstantSource.system());
    notifier.startThreads();
    return notifier;
  }

  private void startThreads() {
    for (TargetLoop target : targets) {
      senders.add(Thread.ofVirtual().name("notify-" + target.target().name()).start(target));
    }
    if (!targets.isEmpty()) {
      reader = Thread.ofVirtual().name("notify").start(this::run);
    }
  }

  /** Sends one message to a target now; returns what went wrong, in one line, if anything did. */
  public static Optional<String> test(
      NotifyTarget target, NotifyConfig config, HttpClient client, Instant now) {
    var message =
        new Notification(
            "test-" + UUID.randomUUID(),
            NotificationKind.NOTICE,
            "-",
            null,
            "Test message of Flyball",
            "",
            "Notifications for target " + target.name() + " arrive here",
            false,
            now);
    try {
      MessageSender.of(target, new MessageText(config.console()), client, () -> now).send(message);
      return Optional.empty();
    } catch (SendFailure e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  /** Notifies of an alarm of the console; never waits. Any thread. */
  public void alarm(String line) {
    EventRules.alarm(line, survivorsRule, clock.instant()).ifPresent(this::offer);
  }

  /** Offers what no event holds, and no restart repeats. */
  private void offer(Notification notification) {
    targets.forEach(target -> target.offer(notification, () -> {}, () -> {}));
  }

  /** Degraded with each target whose last message failed, and the reason. */
  public Health health() {
    Health health = Health.healthy();
    for (TargetLoop target : targets) {
      Optional<String> trouble = target.trouble();
      if (trouble.isPresent()) {
        health =
            health.and(
                Health.degraded(
                    "notifications to " + target.target().name() + ": " + trouble.get()));
      }
    }
    return health;
  }

  private void run() {
    try {
      do {
        follow();
      } while (!stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void follow() {
    try (var events = new EventPositions(clients, places)) {
      Instant next = clock.instant();
      Instant looked = Instant.EPOCH;
      while (stopping.getCount() > 0) {
        events.read(LOOK, this::notify);
        Instant now = clock.instant();
        if (!now.isBefore(looked.plus(HEALTH))) {
          looked = now;
          watch.look(report.get(), now).forEach(this::offer);
        }
        if (ended.getAndSet(false) || !clock.instant().isBefore(next)) {
          next = clock.instant().plus(COMMIT);
          events.commit();
        }
      }
      events.commit();
    } catch (KafkaException e) {
      LOG.warn("notifications: Kafka does not answer: {}; joining again", e.getMessage());
    } catch (RuntimeException | Error e) {
      // Errors too: without this thread no target would be notified any more.
      LOG.error("notifications: beginning again", e);
    }
  }

  private void notify(LifecycleEvent event, ConsumerRecord<String, byte[]> record) {
    EventRules.unreadable(event)
        .ifPresent(detail ->
            LOG.warn(
                "part of an event cannot be read, notifying without it: item={} partition={}"
                    + " offset={} detail={}",
                OneLine.of(event.subject()),
                record.partition(),
                record.offset(),
                detail));
    for (Notification notification : EventRules.of(event)) {
      for (TargetLoop loop : targets) {
        String name = loop.target().name();
        if (places.wants(name, record.partition(), record.offset())) {
          loop.offer(
              notification,
              () -> places.began(name, record.partition(), record.offset()),
              () -> {
                places.ended(name, record.partition(), record.offset());
                ended.set(true);
              });
        }
      }
    }
  }

  /** Ends all threads; a message in progress may finish within 2 s, and is sent again otherwise. */
  @Override
  public void close() {
    targets.forEach(TargetLoop::stop);
    Instant end = clock.instant().plus(STOP_LIMIT);
    try {
      for (Thread sender : senders) {
        Duration left = Duration.between(clock.instant(), end);
        if (!sender.join(left.isPositive() ? left : Duration.ofMillis(1))) {
          sender.interrupt();
        }
      }
      // The reader last: it commits what the senders have delivered until now.
      stopping.countDown();
      if (reader != null && !reader.join(STOP_LIMIT)) {
        reader.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stopping.countDown();
    client.shutdownNow();
  }
}
