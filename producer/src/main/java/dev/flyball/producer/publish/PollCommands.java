package dev.flyball.producer.publish;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads operators' commands to poll a source. It belongs to no group: every producer reads every
 * command, because only the holder of a source's lease obeys. It begins at the topic's end, since a
 * poll of a time before the start helps no operator who waits now. Any thread.
 */
public final class PollCommands implements AutoCloseable {
  private static final Duration STEP = Duration.ofMillis(100);

  private final KafkaConsumer<String, byte[]> consumer;
  private final String topic;
  private final BiConsumer<String, Command.Poll> obeying;

  /**
   * Reads nothing before the first call.
   *
   * @param obeying takes each command with the key of its source, {@code tenant/source}
   */
  public PollCommands(KafkaClients clients, BiConsumer<String, Command.Poll> obeying) {
    this.consumer = clients.consumer("poll-commands", Map.of("default.api.timeout.ms", "5000"));
    this.topic = clients.topics().commands();
    this.obeying = obeying;
  }

  /**
   * Hands on what came since the last call; the first call finds the end.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized void readOn() {
    if (consumer.assignment().isEmpty()) {
      begin();
    } else {
      consumer.poll(STEP).forEach(this::read);
    }
  }

  private void begin() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(each -> new TopicPartition(topic, each.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    // Seeking is lazy: without this a command that comes before the first poll would be missed.
    partitions.forEach(consumer::position);
  }

  /** triage-stream reports commands that are unreadable. */
  private void read(ConsumerRecord<String, byte[]> record) {
    try {
      if (record.key() != null
          && record.value() != null
          && RecordJson.read(record.value(), Command.class) instanceof Command.Poll command) {
        obeying.accept(record.key(), command);
      }
    } catch (UnreadableRecord e) {
      return;
    }
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}
