package dev.flyball.program.run;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the topics that show a run's progress, from their beginning, and folds them into a {@link
 * RunTally}. Used by one thread. An unreadable record is skipped: the app that reads it sends it to
 * dead-letters.
 */
final class RunWatcher implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Consumer<String, byte[]> consumer;
  private final Topics topics;
  private final RunTally tally = new RunTally();
  private final Map<TopicPartition, Long> marks = new HashMap<>();
  private final LedgerReader ledger;
  private boolean complete;

  /**
   * Opens the readers; the topics exist already. The ledger's current content is from before this
   * run.
   */
  RunWatcher(KafkaClients clients) {
    topics = clients.topics();
    consumer =
        clients.consumer(
            "run",
            Map.of(
                "enable.auto.commit", "false",
                "auto.offset.reset", "earliest",
                "isolation.level", "read_committed"));
    ledger = LedgerReader.open(clients);
    tally.ledger(ledger.start());
    while (!ledger.caughtUp()) {
      readLedger(POLL);
    }
    tally.begins();
    mark();
  }

  RunTally tally() {
    return tally;
  }

  /**
   * Marks the current ends: everything after them belongs to this run. Called before anything
   * starts.
   */
  private void mark() {
    assign();
    marks.putAll(consumer.endOffsets(consumer.assignment()));
  }

  /** Reads new records; returns after a short wait if there are none. */
  void read() {
    if (!complete) {
      // The state topic appears only with triage's first start on this folder.
      assign();
    }
    consumer.poll(POLL).forEach(this::fold);
    readLedger(Duration.ZERO);
  }

  /** Whether everything from before this run was read; until then the figures would be too low. */
  boolean underWay() {
    return complete
        && marks.entrySet().stream()
            .allMatch(mark -> consumer.position(mark.getKey()) >= mark.getValue());
  }

  /** Whether everything written until now was read. */
  boolean caughtUp() {
    return complete
        && ledger.caughtUp()
        && consumer.endOffsets(consumer.assignment()).entrySet().stream()
            .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  @Override
  public void close() {
    ledger.close();
    consumer.close();
  }

  private void readLedger(Duration atMost) {
    for (LedgerRecord record : ledger.poll(atMost)) {
      record
          .maybeEntry()
          .ifPresent(entry -> tally.ledger(entry, record.offset(), record.appendTime()));
    }
  }

  private void assign() {
    List<String> wanted =
        List.of(topics.workItems(), topics.itemState(), topics.sessionEvents(), topics.analyses());
    var partitions = new ArrayList<TopicPartition>();
    int found = 0;
    Map<String, List<PartitionInfo>> existing = consumer.listTopics();
    for (String topic : wanted) {
      List<PartitionInfo> of = existing.getOrDefault(topic, List.of());
      found += of.isEmpty() ? 0 : 1;
      of.forEach(partition -> partitions.add(new TopicPartition(topic, partition.partition())));
    }
    if (partitions.size() > consumer.assignment().size()) {
      var before = consumer.assignment();
      var positions = new HashMap<TopicPartition, Long>();
      before.forEach(partition -> positions.put(partition, consumer.position(partition)));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions.stream().filter(it -> !before.contains(it)).toList());
      positions.forEach(consumer::seek);
    }
    complete = found == wanted.size();
  }

  private void fold(ConsumerRecord<String, byte[]> record) {
    boolean thisRun =
        record.offset()
            >= marks.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
    try {
      if (record.topic().equals(topics.itemState())) {
        tally.state(
            record.key(),
            record.value() == null ? null : RecordJson.read(record.value(), ItemState.class),
            thisRun);
      } else if (record.value() != null) {
        present(record, record.value(), thisRun);
      }
    } catch (UnreadableRecord | IllegalArgumentException notOurs) {
      return;
    }
  }

  private void present(ConsumerRecord<String, byte[]> record, byte[] value, boolean thisRun) {
    String topic = record.topic();
    if (topic.equals(topics.workItems())) {
      tally.workItem(
          record.key(),
          RecordJson.read(value, Snapshot.class),
          record.partition(),
          record.offset(),
          thisRun);
    } else if (topic.equals(topics.sessionEvents())) {
      tally.event(EventHeaders.read(record.headers(), value), thisRun);
    } else {
      tally.analysis(record.key(), RecordJson.read(value, Analysis.class), thisRun);
    }
  }
}
