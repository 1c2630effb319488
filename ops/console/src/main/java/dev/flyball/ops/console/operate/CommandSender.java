package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.ops.console.operate.CommandResult.Written;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands and waits for the answers of triage-stream, write-back and the producer. It reads
 * session-events from their end as it is before the first command is sent, so that no answer is
 * missed. Used by one thread.
 */
public final class CommandSender {
  private static final Duration POLL = Duration.ofMillis(100);

  /** How long Kafka may take to accept a command, unless given. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final KafkaClients clients;
  private final Duration limit;

  /** Uses the topics of these clients. */
  public CommandSender(KafkaClients clients) {
    this(clients, LIMIT);
  }

  /**
   * Uses the topics of these clients.
   *
   * @param limit how long Kafka may take to answer, and to accept a command
   */
  public CommandSender(KafkaClients clients, Duration limit) {
    this.clients = clients;
    this.limit = limit;
  }

  /**
   * Sends all commands, then waits until the effect of each was seen or the time is over. From the
   * first command on it throws nothing: some may be written, so each has its own result.
   *
   * @param commands each with the key of its item or source, in the order in which they are sent
   * @param patience how long to wait for the effects
   * @return in the same order; a command without a seen effect is not {@link CommandResult#seen},
   *     and {@link CommandResult#written} says whether a repeat could double it
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure if the topics do not exist or are not answered; nothing was sent
   */
  public List<CommandResult> order(Map<Command, String> commands, Duration patience) {
    clients.reach(limit);
    clients.requireWrite(clients.topics().commands());
    var bounded = Map.of("default.api.timeout.ms", Long.toString(limit.toMillis()));
    try (Consumer<String, byte[]> events = clients.consumer("answers", bounded);
        Producer<String, byte[]> producer = clients.producer("commands", limit)) {
      toTheEnd(events, producer);
      List<CommandResult> waiting = send(producer, commands);
      long end = System.nanoTime() + patience.toNanos();
      while (System.nanoTime() < end && !waiting.stream().allMatch(CommandResult::settled)) {
        for (ConsumerRecord<String, byte[]> record : events.poll(POLL)) {
          event(record).ifPresent(event -> hear(waiting, event));
        }
      }
      return List.copyOf(waiting);
    }
  }

  private void toTheEnd(Consumer<String, byte[]> events, Producer<String, byte[]> producer) {
    try {
      seekToEnd(events);
      // The first send would wait for this, and could not tell whether anything was written.
      producer.partitionsFor(clients.topics().commands());
    } catch (TimeoutException e) {
      throw new StartFailure(
          "Kafka does not answer (" + OneLine.of(e) + "); nothing was changed, check the brokers",
          e);
    }
  }

  private void seekToEnd(Consumer<String, byte[]> events) {
    Topics topics = clients.topics();
    List<TopicPartition> partitions =
        events.partitionsFor(topics.sessionEvents()).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    if (partitions.isEmpty() || events.partitionsFor(topics.commands()).isEmpty()) {
      throw new StartFailure(
          "there is no topic " + topics.commands() + " yet: start ./flyball up, or a triage");
    }
    events.assign(partitions);
    events.seekToEnd(partitions);
    // Seeking is lazy; reading the positions fixes them before a command is sent.
    partitions.forEach(events::position);
  }

  /**
   * Sends until the time is over, then waits for every acknowledgement. One after the other would
   * wait as long for each, while the broker is away.
   */
  private List<CommandResult> send(
      Producer<String, byte[]> producer, Map<Command, String> commands) {
    long end = System.nanoTime() + limit.toNanos();
    var sent = new LinkedHashMap<Command, Future<RecordMetadata>>();
    for (Map.Entry<Command, String> each : commands.entrySet()) {
      if (System.nanoTime() >= end) {
        break;
      }
      sent.put(each.getKey(), send(producer, each.getValue(), each.getKey()));
    }
    var results = new ArrayList<CommandResult>();
    commands.forEach((command, key) ->
        results.add(acknowledged(CommandResult.unsent(key, command.id()), sent.get(command))));
    return results;
  }

  private Future<RecordMetadata> send(
      Producer<String, byte[]> producer, String key, Command command) {
    String topic = clients.topics().commands();
    try {
      return producer.send(
          new ProducerRecord<>(
              topic,
              null,
              key,
              RecordJson.bytes(command),
              EventHeaders.schema(clients.topics().spec(topic).schema())));
    } catch (KafkaException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CommandResult acknowledged(
      CommandResult unsent, @Nullable Future<RecordMetadata> sent) {
    if (sent == null) {
      return unsent;
    }
    try {
      sent.get();
      return unsent.sent(Written.YES, "");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return unsent.sent(
          ReplaceableProducer.refusesRecord(cause) ? Written.NO : Written.PERHAPS,
          OneLine.of(cause.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unsent.sent(Written.PERHAPS, "interrupted");
    }
  }

  private static Optional<LifecycleEvent> event(ConsumerRecord<String, byte[]> record) {
    try {
      return record.value() == null
          ? Optional.empty()
          : Optional.of(EventHeaders.read(record.headers(), record.value()));
    } catch (UnreadableRecord others) {
      return Optional.empty();
    }
  }

  private static void hear(List<CommandResult> waiting, LifecycleEvent event) {
    waiting.replaceAll(
        ordered -> ordered.item().equals(event.subject()) ? ordered.heard(event) : ordered);
  }
}
