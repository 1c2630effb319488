package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.EventRules;
import dev.flyball.ops.console.notify.rule.HealthWatch;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the configured targets of events, of the console's alarms and of its process's health.
 * One thread reads the events, one for each target sends; nothing else waits for either. The events
 * are read as the group {@code PREFIX-notify}; a group without a position begins at the end: an old
 * log must not call a person.
 */
public final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  /** How often health is looked at. */
  private static final Duration HEALTH = Duration.ofSeconds(5);

  private final KafkaClients clients;
  private final InstantSource clock;
  private final HttpClient client;
  private final Supplier<HealthReport> report;

  /** Used by the thread that reads the events. */
  private final HealthWatch watch;

  private final List<TargetLoop> targets = new ArrayList<>();
  private final List<Thread> senders = new ArrayList<>();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread reader;

  /**
   * Nothing runs before {@link #start}.
   *
   * @param client posts messages, and is shut down with the notifier; must follow no redirect
   * @param report the health of the whole process; must not wait
   * @param lasting how long a reason of that lasts before it is sent
   */
  Notifier(
      NotifyConfig config,
      KafkaSettings kafka,
      Telemetry telemetry,
      HttpClient client,
      Supplier<HealthReport> report,
      TargetLoop.Retries retries,
      Duration lasting) {
    this.clients = new KafkaClients(kafka, "console");
    this.clock = InstantSource.system();
    this.client = client;
    this.report = report;
    this.watch = new HealthWatch(lasting);
    var text = new MessageText(config.console());
    for (NotifyTarget target : config.targets()) {
      var sender = new MessageSender.Http(target, text, client, clock);
      targets.add(new TargetLoop(target, sender, retries, telemetry, clock));
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
    var retries = TargetLoop.Retries.DEFAULT;
    return new Notifier(config, kafka, telemetry, client, report, retries, HealthWatch.LASTING)
        .started();
  }

  Notifier started() {
    for (TargetLoop target : targets) {
      senders.add(Thread.ofVirtual().name("notify-" + target.target().name()).start(target));
    }
    reader = Thread.ofVirtual().name("notify").start(this::run);
    return this;
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
      new MessageSender.Http(target, new MessageText(config.console()), client, () -> now)
          .send(message);
      return Optional.empty();
    } catch (MessageSender.Failure e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  private void offer(Notification notification) {
    targets.forEach(target -> target.offer(notification));
  }

  /** Degraded with each target whose last message failed, and the reason. */
  public Health health() {
    var conditions = new ArrayList<Health.Condition>();
    for (TargetLoop target : targets) {
      String name = target.target().name();
      target
          .trouble()
          .ifPresent(it ->
              conditions.add(
                  new Health.Condition("notify", name, "notifications to " + name + ": " + it)));
    }
    return Health.degraded(conditions);
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
    String prefix = clients.topics().prefix();
    String group = prefix.substring(0, prefix.length() - 1) + "-notify";
    try (KafkaConsumer<String, byte[]> events =
        clients.consumer("notify", Map.of("group.id", group, "auto.offset.reset", "latest"))) {
      events.subscribe(Set.of(clients.topics().sessionEvents()));
      var committed = new HashMap<TopicPartition, OffsetAndMetadata>();
      Instant looked = Instant.EPOCH;
      while (stopping.getCount() > 0) {
        events.poll(LOOK).forEach(this::notify);
        Instant now = clock.instant();
        if (!now.isBefore(looked.plus(HEALTH))) {
          looked = now;
          watch.look(report.get(), now).forEach(this::offer);
        }
        commit(events, committed);
      }
    } catch (KafkaException e) {
      LOG.warn("notifications: Kafka does not answer: {}; joining again", e.getMessage());
    } catch (RuntimeException | Error e) {
      // Errors too: without this thread no target would be notified any more.
      LOG.error("notifications: beginning again", e);
    }
  }

  /** Commits what was read, unless a message of it is still on its way. */
  private void commit(
      KafkaConsumer<String, byte[]> events, Map<TopicPartition, OffsetAndMetadata> committed) {
    if (!targets.stream().allMatch(TargetLoop::settled)) {
      return;
    }
    var read = new HashMap<TopicPartition, OffsetAndMetadata>();
    for (TopicPartition partition : events.assignment()) {
      read.put(partition, new OffsetAndMetadata(events.position(partition)));
    }
    if (!read.equals(committed)) {
      events.commitSync(read);
      committed.clear();
      committed.putAll(read);
    }
  }

  /** An event that cannot be read is reported by the projection. */
  private void notify(ConsumerRecord<String, byte[]> record) {
    try {
      if (record.value() != null) {
        EventRules.of(EventHeaders.read(record.headers(), record.value())).forEach(this::offer);
      }
    } catch (UnreadableRecord e) {
      LOG.debug("unreadable event at offset {}", record.offset());
    }
  }

  /** Ends all threads; a message in progress may finish within 2 s. */
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
