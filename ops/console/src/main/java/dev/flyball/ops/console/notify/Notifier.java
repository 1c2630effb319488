package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the configured targets of events, of the console's alarms and of its process's health.
 * Each target has a thread, and reads the events as the group {@code PREFIX-notify-NAME}: what it
 * is not sent yet stays in Kafka, and no target waits for another. Its alarms have another thread
 * and the group {@code PREFIX-notify-alarms.NAME}, so that they do not wait for an hour behind a
 * message that fails. A group without a position begins at the end: an old log must not call a
 * person.
 */
public final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /** How often health is looked at, and the position kept of events that led to no message. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** How long the end of everything waits for messages in progress. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(4);

  private final KafkaClients clients;
  private final InstantSource clock = InstantSource.system();
  private final HttpClient client;
  private final Supplier<HealthReport> report;
  private final List<TargetDelivery> targets;
  private final List<Thread> loops;
  private final CountDownLatch stopping = new CountDownLatch(1);

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
    this.clients = new KafkaClients(kafka, "console");
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
                    this::pause,
                    clock,
                    telemetry))
            .toList();
    loops =
        targets.stream()
            .map(target ->
                Thread.ofVirtual().name("notify-" + place(target)).start(() -> run(target)))
            .toList();
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

  private void run(TargetDelivery target) {
    String prefix = clients.topics().prefix();
    String installation = prefix.substring(0, prefix.length() - 1);
    Map<String, String> properties =
        Map.of(
            "group.id",
            installation + "-notify-" + place(target),
            "auto.offset.reset",
            "latest",
            // So that the position behind a record says that its messages are sent.
            "max.poll.records",
            "1",
            // Each message may be tried for an hour, and then another member is no better.
            "max.poll.interval.ms",
            Long.toString(Duration.ofDays(1).toMillis()));
    var ofHealth = new Notification.OfHealth();
    try {
      while (true) {
        try (KafkaConsumer<String, byte[]> events =
            clients.consumer("notify-" + place(target), properties)) {
          events.subscribe(Set.of(clients.topics().sessionEvents()));
          follow(events, ofHealth, target);
        } catch (KafkaException e) {
          LOG.warn("notifications: Kafka does not answer: {}; joining again", e.getMessage());
        } catch (RuntimeException | Error e) {
          // Errors too: without this thread the target would not be notified any more.
          LOG.error("notifications: beginning again", e);
        }
        pause(RETRY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends with the notifier; an event whose message is not delivered is read again later. */
  private void follow(
      KafkaConsumer<String, byte[]> events, Notification.OfHealth ofHealth, TargetDelivery target)
      throws InterruptedException {
    Instant looked = Instant.EPOCH;
    while (stopping.getCount() > 0) {
      for (ConsumerRecord<String, byte[]> record : events.poll(TICK)) {
        List<Notification> found = notifications(record);
        target.send(found);
        if (!found.isEmpty()) {
          events.commitSync();
        }
      }
      Instant now = clock.instant();
      if (!now.isBefore(looked.plus(LOOK))) {
        looked = now;
        events.commitSync();
        if (target.alarms()) {
          target.send(ofHealth.news(report.get(), now));
        }
        target.summarize();
      }
    }
    events.commitSync();
  }

  /** An event that cannot be read is reported by the projection. */
  private static List<Notification> notifications(ConsumerRecord<String, byte[]> record) {
    try {
      return record.value() == null
          ? List.of()
          : Notification.of(EventHeaders.read(record.headers(), record.value()));
    } catch (UnreadableRecord e) {
      LOG.debug("unreadable event at offset {}", record.offset());
      return List.of();
    }
  }

  /** Waits for as long; throws if the notifier ends. */
  private void pause(Duration duration) throws InterruptedException {
    if (stopping.await(duration.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new InterruptedException("ending");
    }
  }

  /** Ends the loops, once what is being sent is sent; that has a limit of time. */
  @Override
  public void close() {
    stopping.countDown();
    Instant end = clock.instant().plus(STOP_LIMIT);
    try {
      for (Thread loop : loops) {
        if (!loop.join(Duration.between(clock.instant(), end))) {
          loop.interrupt();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.shutdownNow();
  }
}
