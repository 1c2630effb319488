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
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
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

  /** Makes a command of its id, who sends it, when and why. */
  public interface Making {
    Command of(String id, String who, Instant at, String why);
  }

  /** Who does something and why, each one line, because lists and logs show them as one. */
  public record By(String who, String why) {
    public By {
      who = OneLine.of(who, Command.MOST_WHO);
      why = OneLine.of(why);
    }

    /** A command of theirs, of now; it is also the audit record. */
    public Command command(Making making) {
      Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      return making.of(UUID.randomUUID().toString(), who, now, why);
    }
  }

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
   * first command on it throws nothing: some may be written, so each has an outcome.
   *
   * @param commands each with the key of its item or source, in the order in which they are sent
   * @param patience how long to wait for the effects
   * @return in the same order
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure if the topics do not exist or are not answered; nothing was sent
   */
  public List<Outcome> order(Map<Command, String> commands, Duration patience) {
    clients.reach(limit);
    clients.requireWrite(clients.topics().commands());
    var bounded = Map.of("default.api.timeout.ms", Long.toString(limit.toMillis()));
    try (Consumer<String, byte[]> events = clients.consumer("answers", bounded);
        Producer<String, byte[]> producer = clients.producer("commands", limit)) {
      toTheEnd(events, producer);
      Map<Command, Outcome> outcomes = send(producer, commands);
      long end = System.nanoTime() + patience.toNanos();
      while (System.nanoTime() < end
          && outcomes.values().stream()
              .anyMatch(it -> !it.seen() && it.effect() != Effect.UNWRITTEN)) {
        events.poll(POLL).forEach(record -> hear(outcomes, record));
      }
      return List.copyOf(outcomes.values());
    }
  }

  private void toTheEnd(Consumer<String, byte[]> events, Producer<String, byte[]> producer) {
    Topics topics = clients.topics();
    try {
      var tail = TopicTail.of(events, topics.sessionEvents());
      if (tail.partitions().isEmpty() || events.partitionsFor(topics.commands()).isEmpty()) {
        throw new StartFailure(
            "there is no topic " + topics.commands() + " yet: start ./flyball up, or a triage");
      }
      events.seekToEnd(tail.partitions());
      // Seeking is lazy; reading the positions fixes them before a command is sent.
      var _ = tail.positions();
      // The first send would wait for this, and could not tell whether anything was written.
      producer.partitionsFor(topics.commands());
    } catch (TimeoutException e) {
      throw new StartFailure(
          "Kafka does not answer (" + OneLine.of(e) + "); nothing was changed, check the brokers",
          e);
    }
  }

  /**
   * Sends until the time is over, then waits for every acknowledgement. One after the other would
   * wait as long for each, while the broker is away.
   */
  private Map<Command, Outcome> send(
      Producer<String, byte[]> producer, Map<Command, String> commands) {
    long end = System.nanoTime() + limit.toNanos();
    var sent = new HashMap<Command, Future<RecordMetadata>>();
    commands.forEach((command, key) -> {
      if (System.nanoTime() < end) {
        sent.put(command, send(producer, key, command));
      }
    });
    var outcomes = new LinkedHashMap<Command, Outcome>();
    commands.forEach((command, key) -> outcomes.put(command, outcome(key, sent.get(command))));
    return outcomes;
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

  /** Of a command on this item that was sent, or was not. */
  private static Outcome outcome(String item, @Nullable Future<RecordMetadata> sent) {
    if (sent == null) {
      return Outcome.of(item, Effect.UNWRITTEN, "Kafka accepted the commands before it too slowly");
    }
    try {
      sent.get();
      return Outcome.of(item, Effect.SENT, "");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      boolean refused = ReplaceableProducer.refusesRecord(cause);
      return Outcome.of(
          item, refused ? Effect.UNWRITTEN : Effect.UNCONFIRMED, OneLine.of(cause.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.of(item, Effect.UNCONFIRMED, "interrupted");
    }
  }

  private static void hear(Map<Command, Outcome> outcomes, ConsumerRecord<String, byte[]> record) {
    try {
      if (record.value() != null) {
        LifecycleEvent event = EventHeaders.read(record.headers(), record.value());
        outcomes.replaceAll((command, outcome) -> outcome.after(event, command.id()));
      }
    } catch (UnreadableRecord others) {
      // What answers a command can be read.
    }
  }
}
