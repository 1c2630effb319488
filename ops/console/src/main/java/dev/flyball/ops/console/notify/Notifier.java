package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.NotificationRules;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.Telemetry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the configured targets of events, of the console's alarms and of its process's health.
 * One loop reads the events and says when each target is sent what; each request has a separate
 * thread, so that no target waits for another. The events are read as the group {@code
 * PREFIX-notify}; a group without a position begins at the end: an old log must not call a person.
 */
public final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /** How long messages in progress may take at the end, and the end itself as long again. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  private static final Duration STOP_TICK = Duration.ofMillis(20);

  /** How long Kafka may take to name or to keep a position; deliveries wait meanwhile. */
  private static final Duration POSITION_LIMIT = Duration.ofSeconds(10);

  /** How often health is looked at. */
  private static final Duration HEALTH = Duration.ofSeconds(5);

  private final KafkaClients clients;
  private final InstantSource clock = InstantSource.system();
  private final HttpClient client;
  private final Supplier<HealthReport> report;
  private final NotificationRules rules = new NotificationRules();
  private final List<TargetQueue> targets = new ArrayList<>();
  private final ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread loop = Thread.ofVirtual().name("notify").unstarted(this::run);
  private Instant looked = Instant.EPOCH;

  private Notifier(
      NotifyConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      HttpClient client,
      Supplier<HealthReport> report) {
    this.clients = new KafkaClients(kafka, "console");
    this.client = client;
    this.report = report;
    var sender = new MessageSender(client, new MessageText(config.console()), clock);
    for (NotifyTarget target : config.targets()) {
      targets.add(
          new TargetQueue(
              target, message -> senders.submit(() -> sender.send(target, message)), telemetry));
    }
  }

  /**
   * Starts to read and to send.
   *
   * @param client posts messages, and is shut down with the notifier; must follow no redirect
   * @param report the health of the whole process; must not wait
   */
  public static Notifier start(
      NotifyConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      HttpClient client,
      Supplier<HealthReport> report) {
    var notifier = new Notifier(config, kafka, telemetry, client, report);
    notifier.loop.start();
    return notifier;
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
      return new MessageSender(client, new MessageText(config.console()), () -> now)
          .send(target, message)
          .map(Failure::reason);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  /** Degraded with each target whose last message failed, and the reason. */
  public Health health() {
    var conditions = new ArrayList<Health.Condition>();
    for (TargetQueue queue : targets) {
      String name = queue.target().name();
      queue
          .trouble(clock.instant())
          .ifPresent(it ->
              conditions.add(
                  new Health.Condition("notify", name, "notifications to " + name + ": " + it)));
    }
    return Health.degraded(conditions);
  }

  private void run() {
    String prefix = clients.topics().prefix();
    String group = prefix.substring(0, prefix.length() - 1) + "-notify";
    try {
      do {
        try (KafkaConsumer<String, byte[]> events =
            clients.consumer("notify", Map.of("group.id", group, "auto.offset.reset", "latest"))) {
          events.subscribe(Set.of(clients.topics().sessionEvents()));
          follow(events);
        } catch (KafkaException e) {
          LOG.warn("notifications: Kafka does not answer: {}; joining again", e.getMessage());
        } catch (RuntimeException | Error e) {
          // Errors too: without this thread no target would be notified any more.
          LOG.error("notifications: beginning again", e);
        }
      } while (!stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Commits what was read, unless a message of it is still on its way. */
  private void follow(KafkaConsumer<String, byte[]> events) throws InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
    while (stopping.getCount() > 0) {
      events.poll(TICK).forEach(this::take);
      Instant now = clock.instant();
      if (!now.isBefore(looked.plus(HEALTH))) {
        looked = now;
        rules.of(report.get(), now).forEach(this::offer);
      }
      targets.forEach(target -> target.tick(now));
      committed = commit(events, committed);
    }
    List<TargetQueue> owing = targets.stream().filter(each -> !each.settled()).toList();
    finish();
    // What failed meanwhile is sent again only if its event is read again.
    if (owing.stream().allMatch(TargetQueue::empty)) {
      var _ = commit(events, committed);
    }
  }

  /** Waits for what is being sent: a later start does not send the same trouble again. */
  private void finish() throws InterruptedException {
    Instant end = clock.instant().plus(STOP_LIMIT);
    while (targets.stream().anyMatch(TargetQueue::busy) && clock.instant().isBefore(end)) {
      Thread.sleep(STOP_TICK);
      targets.forEach(target -> target.tick(clock.instant()));
    }
  }

  /** Returns what is committed afterwards. */
  private Map<TopicPartition, OffsetAndMetadata> commit(
      KafkaConsumer<String, byte[]> events, Map<TopicPartition, OffsetAndMetadata> committed) {
    if (!targets.stream().allMatch(TargetQueue::settled)) {
      return committed;
    }
    var read = new HashMap<TopicPartition, OffsetAndMetadata>();
    for (TopicPartition partition : events.assignment()) {
      read.put(partition, new OffsetAndMetadata(events.position(partition, POSITION_LIMIT)));
    }
    if (!read.equals(committed)) {
      events.commitSync(read, POSITION_LIMIT);
    }
    return read;
  }

  /** An event that cannot be read is reported by the projection. */
  private void take(ConsumerRecord<String, byte[]> record) {
    try {
      if (record.value() != null) {
        NotificationRules.of(EventHeaders.read(record.headers(), record.value()))
            .forEach(this::offer);
      }
    } catch (UnreadableRecord e) {
      LOG.debug("unreadable event at offset {}", record.offset());
    }
  }

  private void offer(Notification notification) {
    targets.forEach(target -> target.offer(notification, clock.instant()));
  }

  /** Ends the loop; events whose messages are not delivered are read again after the next start. */
  @Override
  public void close() {
    stopping.countDown();
    try {
      if (!loop.join(STOP_LIMIT.multipliedBy(2))) {
        loop.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    senders.shutdownNow();
    client.shutdownNow();
  }
}
