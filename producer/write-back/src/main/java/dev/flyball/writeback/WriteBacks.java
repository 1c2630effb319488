package dev.flyball.writeback;

import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The write-back of every source that has one, each in a separate thread. Guarded by the app's
 * monitor except {@link #troubles}.
 */
public final class WriteBacks {
  private final KafkaClients clients;
  private final FirstStarts beginnings;
  private final DeadLetterPublisher deadLetters;
  private final Telemetry telemetry;
  private final Function<SourceConfig, DeliveryPace> paces;
  private final Function<SourceConfig, Delivery> opener;

  /** The running write-backs, by source; replaced as a whole. */
  private volatile Map<String, Running> running = Map.of();

  public WriteBacks(
      KafkaClients clients,
      FirstStarts beginnings,
      DeadLetterPublisher deadLetters,
      Telemetry telemetry,
      Function<SourceConfig, DeliveryPace> paces,
      Function<SourceConfig, Delivery> opener) {
    this.clients = clients;
    this.beginnings = beginnings;
    this.deadLetters = deadLetters;
    this.telemetry = telemetry;
    this.paces = paces;
    this.opener = opener;
  }

  /**
   * Applies these sources from now on; unchanged write-backs go on undisturbed.
   *
   * @throws RuntimeException if one cannot be opened; everything then stays as it was
   */
  public void apply(List<SourceConfig> sources) {
    var next = new HashMap<String, Running>();
    var opened = new HashMap<SourceConfig, Delivery>();
    for (SourceConfig source : sources) {
      if (!(source.rules().writeBack() instanceof WriteBack.Off)) {
        Running before = running.get(source.key());
        if (before != null && before.config().equals(source)) {
          next.put(source.key(), before);
        } else {
          opened.put(source, opener.apply(source));
        }
      }
    }
    opened.forEach((source, delivery) -> next.put(source.key(), start(source, delivery)));
    running.values().stream()
        .filter(before -> !next.containsValue(before))
        .forEach(before -> before.loop().stop());
    running = Map.copyOf(next);
    sources.stream()
        .filter(source -> source.rules().writeBack() instanceof WriteBack.Off)
        .forEach(source -> beginnings.forget(source.key()));
  }

  /** Sources whose analyses cannot be delivered, with the reason. */
  public Map<String, String> troubles() {
    var troubles = new TreeMap<String, String>();
    running.forEach(
        (key, one) -> one.loop().trouble().ifPresent(reason -> troubles.put(key, reason)));
    return troubles;
  }

  /** Ends all write-backs; a delivery in progress may finish within the limit. */
  public void end(Duration limit) throws InterruptedException {
    running.values().forEach(one -> one.loop().stop());
    for (Running one : running.values()) {
      one.thread().join(limit);
    }
  }

  private Running start(SourceConfig source, Delivery delivery) {
    var loop =
        new WriteBackLoop(
            source.key(),
            () -> new AnalysisReader(clients, source.key(), beginnings, this::unreadable),
            delivery,
            deadLetters,
            telemetry,
            paces.apply(source));
    return new Running(
        source, loop, Thread.ofVirtual().name("write-back-" + source.key()).start(loop));
  }

  private void unreadable(ConsumerRecord<String, byte[]> record, String reason) {
    deadLetters.giveUp(record, reason);
    telemetry.count(Metric.DEAD_LETTERS);
  }

  private record Running(SourceConfig config, WriteBackLoop loop, Thread thread) {}
}
