package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
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
import java.util.ArrayList;
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
    /** The command. */
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
      List<Ordered> waiting = send(producer, commands);
      long end = System.nanoTime() + patience.toNanos();
      while (System.nanoTime() < end && !waiting.stream().allMatch(Ordered::settled)) {
        events.poll(POLL).forEach(record -> hear(waiting, record));
      }
      return waiting.stream().map(Ordered::outcome).toList();
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
  private List<Ordered> send(Producer<String, byte[]> producer, Map<Command, String> commands) {
    long end = System.nanoTime() + limit.toNanos();
    var all = new ArrayList<Ordered>();
    commands.forEach((command, key) ->
        all.add(
            new Ordered(
                key, command.id(), System.nanoTime() < end ? send(producer, key, command) : null)));
    all.forEach(Ordered::acknowledge);
    return all;
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

  private static void hear(List<Ordered> waiting, ConsumerRecord<String, byte[]> record) {
    try {
      if (record.value() != null) {
        LifecycleEvent event = EventHeaders.read(record.headers(), record.value());
        waiting.forEach(each -> each.hear(event));
      }
    } catch (UnreadableRecord others) {
      // What answers a command can be read.
    }
  }

  /**
   * A command, and what is known of it so far. Its effect is complete once it is answered and, if
   * it ended a session, that session's terminal event was read too.
   */
  private static final class Ordered {
    private final String item;
    private final String id;
    private final @Nullable Future<RecordMetadata> sent;
    private Effect effect = Effect.UNWRITTEN;
    private String why = "Kafka accepted the commands before it too slowly";
    private EventData answer = EventData.EMPTY;
    private EventData end = EventData.EMPTY;

    Ordered(String item, String id, @Nullable Future<RecordMetadata> sent) {
      this.item = item;
      this.id = id;
      this.sent = sent;
    }

    void acknowledge() {
      if (sent == null) {
        return;
      }
      try {
        sent.get();
        effect = Effect.SENT;
        why = "";
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        effect = ReplaceableProducer.refusesRecord(cause) ? Effect.UNWRITTEN : Effect.UNCONFIRMED;
        why = OneLine.of(cause.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        effect = Effect.UNCONFIRMED;
        why = "interrupted";
      }
    }

    /** Whether no further answer is expected: its effect was seen, or it has none. */
    boolean settled() {
      return effect == Effect.DONE || effect == Effect.REFUSED || effect == Effect.UNWRITTEN;
    }

    void hear(LifecycleEvent event) {
      EventData data = event.data();
      boolean done = event.type() == EventType.COMMAND_DONE;
      if (!event.subject().equals(item)) {
        return;
      }
      if ((done || event.type() == EventType.COMMAND_REFUSED)
          && answer.equals(EventData.EMPTY)
          && data.text(Field.COMMAND_ID).filter(id::equals).isPresent()) {
        answer = data;
        why = data.text(Field.REASON).orElse("");
        effect = !done ? Effect.REFUSED : data.has(Field.SESSION) ? Effect.SENT : Effect.DONE;
      } else if (event.type().terminal()
          && effect == Effect.SENT
          && data.has(Field.SESSION)
          && data.text(Field.SESSION).equals(answer.text(Field.SESSION))) {
        end = data;
        effect = Effect.DONE;
      }
    }

    Outcome outcome() {
      return new Outcome(item, effect, why, answer, end);
    }
  }
}
