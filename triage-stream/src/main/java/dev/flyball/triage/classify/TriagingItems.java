package dev.flyball.triage.classify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which question each item waits for, by the records of item-state. The stream may run in another
 * process. One thread.
 */
final class TriagingItems implements ClassifierLoop.OpenQuestions, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TriagingItems.class);

  /** How long a transaction of the stream may stay open before questions are asked unchecked. */
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private final Admin admin;
  private final Consumer<String, byte[]> consumer;
  private final TopicTail tail;

  /** The id of the question by item; without items that wait for none. */
  private final Map<String, String> questions = new HashMap<>();

  /** Reads nothing yet. */
  TriagingItems(KafkaClients clients) {
    this.admin = clients.admin("triaging-items");
    this.consumer = clients.consumer("triaging-items");
    Topics topics = clients.topics();
    // The stream makes this topic, with the partitions of its input, before it asks a question.
    this.tail =
        new TopicTail(
            consumer,
            IntStream.range(0, topics.spec(topics.workItems()).partitions())
                .mapToObj(each -> new TopicPartition(topics.itemState(), each))
                .toList());
  }

  /**
   * Reads to the end first. A question and its item's state are written in one transaction, which
   * may be visible in one topic before the other: so the end is that of uncommitted records too.
   */
  @Override
  public List<BatchCalls.Asked> among(List<BatchCalls.Asked> batch) {
    if (batch.isEmpty()) {
      return batch;
    }
    if (!tail.readTo(ends(), this::read, SILENCE)) {
      LOG.warn("item states cannot be read to their end, questions are asked unchecked");
      return batch;
    }
    return batch.stream()
        .filter(each -> each.question().id().equals(questions.get(each.item().toString())))
        .toList();
  }

  private Map<TopicPartition, Long> ends() {
    try {
      return admin
          .listOffsets(
              tail.partitions().stream()
                  .collect(Collectors.toMap(Function.identity(), _ -> OffsetSpec.latest())))
          .all()
          .get()
          .entrySet()
          .stream()
          .collect(Collectors.toMap(Map.Entry::getKey, each -> offset(each.getValue())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while item states were read", e);
    } catch (ExecutionException e) {
      throw new KafkaException("item states cannot be read: " + e.getCause(), e.getCause());
    }
  }

  private static Long offset(ListOffsetsResultInfo info) {
    return info.offset();
  }

  private void read(ConsumerRecord<String, byte[]> record) {
    String question = question(record.value());
    if (question == null) {
      questions.remove(record.key());
    } else {
      questions.put(record.key(), question);
    }
  }

  private static @Nullable String question(byte @Nullable [] state) {
    try {
      return state != null
              && RecordJson.read(state, ItemState.class).phase()
                  instanceof ItemPhase.Triaging triaging
          ? triaging.triage()
          : null;
    } catch (UnreadableRecord e) {
      return null; // The stream starts such an item again, with another question.
    }
  }

  @Override
  public void close() {
    consumer.close();
    admin.close();
  }
}
