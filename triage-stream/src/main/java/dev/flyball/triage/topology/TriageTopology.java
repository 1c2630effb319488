package dev.flyball.triage.topology;

import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.triage.item.MachineSettings;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * The topology: two parts that communicate only through session-events. The ledger part (one task)
 * folds the ledger and writes its effects for each item. The item part (a task for each partition
 * of work-items) does everything else.
 *
 * <p>The item part reads the mark of a lease's end in the order of its partition. So it has read
 * whatever a runner reported before that end.
 */
public final class TriageTopology {
  /** The store whose changelog is the state topic. */
  public static final String ITEM_STATE = "item-state";

  /** The store of sessions whose terminal is not written yet. */
  static final String ITEM_SESSIONS = "item-sessions";

  /** The store of due times, in order. */
  static final String DUE_INDEX = "due-index";

  /** The store of the ledger's fold: rows and the entries since. */
  static final String LEDGER_FOLD = "ledger-fold";

  static final String LEDGER = "ledger";
  static final String ITEMS = "items";

  private TriageTopology() {}

  /**
   * The settings of the topology.
   *
   * @param ledgerTopicId the id of the ledger's topic, the first part of every fencing token
   * @param partitions number of partitions of the topics that are keyed by item; a record that
   *     another partitioner put elsewhere is moved to its item's partition
   * @param counts adds one to a counter; thread-safe
   */
  public record Settings(
      Topics topics,
      String ledgerTopicId,
      MachineSettings machine,
      int partitions,
      Consumer<Metric> counts) {}

  /** Builds the topology, for production and tests. */
  static Topology build(Settings settings) {
    Topics topics = settings.topics();
    var topology = new Topology();
    source(topology, topics.sessionLedger());
    topology.addProcessor(
        LEDGER,
        processor(context -> new LedgerProjector(settings, context)::process),
        sourceOf(topics.sessionLedger()));
    List<String> inputs = itemInputs(topics);
    inputs.forEach(topic -> source(topology, topic));
    topology.addProcessor(
        ITEMS,
        processor(context -> new ItemProcessor(settings, context)::process),
        inputs.stream().map(TriageTopology::sourceOf).toArray(String[]::new));
    topology.addStateStore(inMemory(LEDGER_FOLD), LEDGER);
    topology.addStateStore(onDisk(ITEM_STATE), ITEMS);
    topology.addStateStore(onDisk(ITEM_SESSIONS), ITEMS);
    topology.addStateStore(inMemory(DUE_INDEX), ITEMS);
    // Each part has separate sinks: a shared sink would join the parts to one, with the ledger in
    // an item's task.
    sinks(topology, LEDGER, List.of(topics.sessionEvents(), topics.deadLetters()));
    sinks(
        topology,
        ITEMS,
        List.of(
            topics.workItems(),
            topics.triageVerdicts(),
            topics.commands(),
            topics.sessionEvents(),
            topics.sessionRequests(),
            topics.triageRequests(),
            topics.analyses(),
            topics.deadLetters()));
    return topology;
  }

  /** Every topic that the stream reads. */
  public static List<String> inputs(Topics topics) {
    return Stream.concat(Stream.of(topics.sessionLedger()), itemInputs(topics).stream()).toList();
  }

  private static List<String> itemInputs(Topics topics) {
    return List.of(
        topics.workItems(), topics.triageVerdicts(), topics.sessionEvents(), topics.commands());
  }

  /** Makes what reads a task's records, once for each task. */
  private static ProcessorSupplier<byte[], byte[], byte[], byte[]> processor(
      Function<ProcessorContext<byte[], byte[]>, Consumer<Record<byte[], byte[]>>> made) {
    return () ->
        new Processor<>() {
          private @Nullable Consumer<Record<byte[], byte[]>> task;

          @Override
          public void init(ProcessorContext<byte[], byte[]> context) {
            task = made.apply(context);
          }

          @Override
          public void process(Record<byte[], byte[]> record) {
            Objects.requireNonNull(task).accept(record);
          }
        };
  }

  static String sink(String part, String topic) {
    return part + ">" + topic;
  }

  private static String sourceOf(String topic) {
    return "from-" + topic;
  }

  private static void source(Topology topology, String topic) {
    topology.addSource(
        sourceOf(topic), new ByteArrayDeserializer(), new ByteArrayDeserializer(), topic);
  }

  private static void sinks(Topology topology, String part, List<String> all) {
    for (String topic : all) {
      topology.addSink(
          sink(part, topic), topic, new ByteArraySerializer(), new ByteArraySerializer(), part);
    }
  }

  private static StoreBuilder<KeyValueStore<String, byte[]>> onDisk(String name) {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
        .withCachingDisabled();
  }

  private static StoreBuilder<KeyValueStore<String, byte[]>> inMemory(String name) {
    return Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
        .withCachingDisabled();
  }
}
