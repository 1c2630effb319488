package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Sends commands on items and waits for the answers of triage-stream and write-back. It reads
 * session-events from their end as it is before the first command is sent, so that no answer is
 * missed. Used by one thread.
 */
public final class CommandSender {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration REACH = Duration.ofSeconds(5);

  private final KafkaClients clients;

  /** Uses the topics of these clients. */
  public CommandSender(KafkaClients clients) {
    this.clients = clients;
  }

  /**
   * Sends all commands, then waits until the effect of each was seen or the time is over.
   *
   * @param commands each with its item, in the order in which they are sent
   * @param patience how long to wait for the effects
   * @return in the same order; a command without a seen effect is not {@link CommandResult#seen}
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure if the topics do not exist, or a command was not acknowledged
   */
  public List<CommandResult> order(Map<Command, ItemKey> commands, Duration patience) {
    clients.reach(REACH);
    clients.requireWrite(clients.topics().commands());
    try (Consumer<String, byte[]> events = clients.consumer("answers");
        Producer<String, byte[]> producer = clients.producer("commands")) {
      toTheEnd(events);
      var waiting = new ArrayList<CommandResult>();
      commands.forEach((command, item) -> {
        send(producer, item, command);
        waiting.add(CommandResult.sent(item, command.id()));
      });
      long end = System.nanoTime() + patience.toNanos();
      while (System.nanoTime() < end && !waiting.stream().allMatch(CommandResult::seen)) {
        for (ConsumerRecord<String, byte[]> record : events.poll(POLL)) {
          event(record).ifPresent(event -> hear(waiting, event));
        }
      }
      return List.copyOf(waiting);
    }
  }

  private void toTheEnd(Consumer<String, byte[]> events) {
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

  private void send(Producer<String, byte[]> producer, ItemKey item, Command command) {
    String topic = clients.topics().commands();
    try {
      producer
          .send(
              new ProducerRecord<>(
                  topic,
                  null,
                  item.toString(),
                  RecordJson.bytes(command),
                  EventHeaders.schema(clients.topics().spec(topic).schema())))
          .get();
    } catch (ExecutionException e) {
      String why = OneLine.of(e.getCause());
      throw new StartFailure(
          "the command on "
              + item
              + " was not acknowledged ("
              + why
              + "); check the item before you repeat it",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while sending a command on " + item, e);
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
    waiting.replaceAll(ordered ->
        ordered.item().toString().equals(event.subject()) ? ordered.heard(event) : ordered);
  }
}
