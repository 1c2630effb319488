package dev.flyball.program.run;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.producer.PollReport;
import dev.flyball.program.run.RunResult.Row;
import dev.flyball.program.trial.Trial;
import dev.flyball.triage.TriageApp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Follows a run by the console's projection, which has caught up before the run began, and by what
 * triage-stream has not processed yet. Used by one thread.
 */
final class RunWatcher implements AutoCloseable {
  /** How long one check waits until the console has caught up; a busy one takes several. */
  static final Duration CATCH_UP = Duration.ofSeconds(1);

  /** The longest wait between two checks, which a signal must not have to wait for longer. */
  private static final Duration MOST = Duration.ofSeconds(2);

  private final ConsoleApp console;
  private final RunView view;
  private final TriageBacklog backlog;
  private RunView.Status status = RunView.Status.NOTHING;
  private long refreshNanos;

  /**
   * Begins the run.
   *
   * @param console has read everything from before the run
   * @param data its folder
   */
  RunWatcher(ConsoleApp console, Path data, KafkaClients clients) {
    this.console = console;
    this.view = RunView.begin(data);
    this.backlog = new TriageBacklog(clients);
  }

  /** Reads what was written meanwhile; takes about 200 ms, and longer where a status takes long. */
  void read() {
    // Of a run over very many items a status costs seconds of CPU, which the sessions need.
    long rest = Math.min(4 * refreshNanos, MOST.toNanos());
    long began = System.nanoTime();
    do {
      backlog.read();
    } while (System.nanoTime() - began < rest);
    refresh();
  }

  /** The run as it was last read. */
  RunView.Status status() {
    return status;
  }

  /**
   * The result of a settled run.
   *
   * @param polled the poll of the file
   * @param mostTrees the most process trees that lived at the same time
   */
  RunResult result(PollReport.Finished polled, int mostTrees, long durationMs) {
    return new RunResult(
        polled,
        status,
        view.figures(),
        mostTrees,
        durationMs,
        view.rows(status).stream()
            .map(item -> Row.of(item, view.all().analysis(item.key()).orElse(null)))
            .toList(),
        view.all().items(new ItemFilter("dead", null, null, Integer.MAX_VALUE)));
  }

  /** Why an item of this key was skipped; those that lack the same have the same text. */
  String why(String key) {
    return view.state(key).map(Trial::whySkipped).orElse("");
  }

  /** Whether the run stays in this state: all that was written had its effect without a change. */
  boolean remains(Predicate<RunView.Status> state) {
    return state.test(status) && backlog.empty() && refresh() && state.test(status);
  }

  /** Reads the status again; returns whether it shows everything written before this call. */
  private boolean refresh() {
    // In this order: only then does the projection show all effects of the records that are
    // dropped.
    Map<TopicPartition, Long> processed = backlog.processed();
    boolean caughtUp = console.catchUp(CATCH_UP);
    if (caughtUp) {
      backlog.drop(processed);
    }
    long began = System.nanoTime();
    status = view.status(backlog.items());
    refreshNanos = System.nanoTime() - began;
    return caughtUp;
  }

  @Override
  public void close() {
    backlog.close();
    view.close();
  }

  /**
   * The records that triage-stream has not processed yet. It commits the offset after a record in
   * one transaction with what follows from it, so an empty backlog means that everything written so
   * far has had its effect. Used by one thread.
   */
  static final class TriageBacklog implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final String workItems;
    private final Consumer<String, byte[]> consumer;
    private final Consumer<String, byte[]> uncommitted;

    /** Keys of the records by their offset, for each partition. */
    private final Map<TopicPartition, TreeMap<Long, String>> unprocessed = new HashMap<>();

    /** Starts where triage-stream will continue; its topics exist already. */
    TriageBacklog(KafkaClients clients) {
      Topics topics = clients.topics();
      workItems = topics.workItems();
      // The group of triage-stream, whose offsets it reads. It neither joins the group nor commits.
      consumer = clients.consumer("run", Map.of("group.id", topics.applicationId()));
      uncommitted = clients.consumer("run-ends", Map.of("isolation.level", "read_uncommitted"));
      consumer.assign(
          TriageApp.inputs(topics).stream()
              .flatMap(topic -> consumer.partitionsFor(topic).stream())
              .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
              .toList());
      consumer.assignment().forEach(partition -> unprocessed.put(partition, new TreeMap<>()));
    }

    /** The offset after the newest record that triage-stream processed, by partition. */
    Map<TopicPartition, Long> processed() {
      var processed = new HashMap<TopicPartition, Long>();
      consumer
          .committed(consumer.assignment())
          .forEach((partition, offset) ->
              processed.put(partition, offset == null ? 0 : offset.offset()));
      return processed;
    }

    /** Reads what was written meanwhile; takes about 200 ms. */
    void read() {
      long began = System.nanoTime();
      for (Duration left = POLL;
          left.isPositive();
          left = POLL.minusNanos(System.nanoTime() - began)) {
        ConsumerRecords<String, byte[]> read = consumer.poll(left);
        unprocessed.forEach((partition, records) ->
            read.records(partition).forEach(it -> records.put(it.offset(), it.key())));
      }
    }

    /** Drops the records before these offsets, whose effects the caller has seen. */
    void drop(Map<TopicPartition, Long> processed) {
      unprocessed.forEach(
          (partition, records) -> records.headMap(processed.getOrDefault(partition, 0L)).clear());
    }

    /** The items with a snapshot among the records; a foreign record may have no key. */
    Set<String> items() {
      return unprocessed.entrySet().stream()
          .filter(records -> records.getKey().topic().equals(workItems))
          .flatMap(records -> records.getValue().values().stream())
          .filter(Objects::nonNull)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Whether everything written until now was read and dropped. A commit returns before its
     * records are visible, so that the visible end would be too early.
     */
    boolean empty() {
      return unprocessed.values().stream().allMatch(Map::isEmpty)
          && uncommitted.endOffsets(consumer.assignment()).entrySet().stream()
              .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    @Override
    public void close() {
      consumer.close();
      uncommitted.close();
    }
  }
}
