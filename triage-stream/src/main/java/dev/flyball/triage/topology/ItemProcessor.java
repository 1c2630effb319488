package dev.flyball.triage.topology;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.triage.item.Input;
import dev.flyball.triage.item.InputPosition;
import dev.flyball.triage.item.Item;
import dev.flyball.triage.item.ItemMachine;
import dev.flyball.triage.item.ItemMachine.Repeat;
import dev.flyball.triage.item.TriageEffect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine decides about each record of a partition and each due time; this carries it out. */
final class ItemProcessor {
  private static final Logger LOG = LoggerFactory.getLogger(ItemProcessor.class);

  /** How often due times are checked. */
  private static final Duration DUE_TICK = Duration.ofMillis(250);

  /** Most due items per tick, so that many of them cannot hold up the stream thread. */
  private static final int MOST_DUE = 500;

  private final TriageTopology.Settings settings;
  private final Topics topics;
  private final ItemMachine machine;
  private final Inputs inputs;
  private final ProcessorContext<byte[], byte[]> context;
  private final RecordSink sink;
  private final ItemStores stores;

  ItemProcessor(TriageTopology.Settings settings, ProcessorContext<byte[], byte[]> context) {
    this.settings = settings;
    this.topics = settings.topics();
    this.machine = new ItemMachine(settings.machine());
    this.inputs = new Inputs(topics);
    this.context = context;
    this.sink = new RecordSink(context, settings, TriageTopology.ITEMS);
    this.stores = new ItemStores(context, sink);
    context.schedule(DUE_TICK, PunctuationType.WALL_CLOCK_TIME, now -> due());
  }

  void process(Record<byte[], byte[]> record) {
    RecordMetadata at = context.recordMetadata().orElseThrow();
    var origin = new InputPosition(at.topic(), at.partition(), at.offset(), record.timestamp());
    try {
      if (inputs.concerns(origin, record)) {
        ItemKey key = Inputs.key(record.key());
        int home = Utils.toPositive(Utils.murmur2(record.key())) % settings.partitions();
        if (home == at.partition() && repeated(key, origin, record)) {
          sink.flush();
          return;
        }
        Input input = inputs.read(origin, record);
        if (home == at.partition()) {
          step(key, input);
        } else {
          // The item, and the answers to its questions, are in another task: here it would wait
          // for ever.
          sink.move(record, home);
        }
      }
    } catch (UnreadableRecord e) {
      sink.deadLetter(record, String.valueOf(e.getMessage()));
      sink.flush();
      if (origin.topic().equals(topics.triageVerdicts())) {
        unreadableVerdict(origin, record);
      }
    } catch (Undecidable e) {
      LOG.error(
          "no decision, record goes to dead-letters: topic={} partition={} offset={}",
          at.topic(),
          at.partition(),
          at.offset(),
          e.getCause());
      sink.deadLetter(record, String.valueOf(e.getMessage()));
    }
    sink.flush();
  }

  /** Reports a snapshot that is exactly the known one; false if the record is anything else. */
  private boolean repeated(ItemKey key, InputPosition origin, Record<byte[], byte[]> record) {
    if (!inputs.snapshot(origin) || record.value() == null) {
      return false;
    }
    Repeat seen = stores.repeated(key, record.value());
    if (seen == null) {
      return false;
    }
    List<TriageEffect> effects = machine.repeated(key, origin, seen, sink.now());
    effects.forEach(effect -> apply(key, effect));
    return !effects.isEmpty();
  }

  /** Asks the question of an unreadable answer again; otherwise its item would wait for ever. */
  private void unreadableVerdict(InputPosition origin, Record<byte[], byte[]> record) {
    var missing = new Input.VerdictMissing(origin, "its verdict was unreadable");
    try {
      step(Inputs.key(record.key()), missing);
    } catch (UnreadableRecord | Undecidable e) {
      LOG.warn("an unreadable verdict names no item: {}", e.getMessage());
    }
  }

  private void due() {
    for (ItemStores.Due due : stores.due(sink.now(), MOST_DUE)) {
      stores.drop(due);
      if (stores.cleaned(due.key())) {
        continue;
      }
      try {
        step(due.key(), new Input.DueReached(InputPosition.due(due.at())));
      } catch (Undecidable e) {
        LOG.error("no decision on a due item: item={}", due.key(), e.getCause());
      }
      sink.flush();
    }
  }

  private void step(ItemKey key, Input input) {
    Item before = stores.item(key);
    ItemStores.Change change;
    try {
      ItemMachine.Decision decision =
          machine.decide(key, before, input, sink.now(), stores.questions());
      change = ItemStores.Change.of(before, decision.item());
      decision.effects().forEach(effect -> apply(key, effect));
    } catch (RuntimeException e) {
      // A fault of this program in one item's decision must not stop the items behind it.
      sink.drop();
      throw new Undecidable(e);
    }
    if (input instanceof Input.SessionReported in && late(before, in)) {
      settings.counts().accept(Metric.LATE_RECORDS);
    }
    stores.save(key, change);
  }

  /** Whether what a runner reports came after its session's terminal event. */
  private static boolean late(Item before, Input.SessionReported in) {
    return in.type() != EventType.SESSION_CLAIMED
        && in.type() != EventType.SESSION_LEASE_ENDED
        && before.memory().isEnded(in.session().token());
  }

  private void apply(ItemKey key, TriageEffect effect) {
    switch (effect) {
      case TriageEffect.Emit(LifecycleEvent event) -> sink.event(event);
      case TriageEffect.Ask(TriageRequest question) ->
          sink.send(topics.triageRequests(), key, question, question.snapshot().revision());
      case TriageEffect.Request(SessionRequest request) ->
          sink.send(topics.sessionRequests(), key, request, request.snapshot().revision());
      case TriageEffect.Withdraw _ -> sink.tombstone(topics.sessionRequests(), key);
      case TriageEffect.Publish(Analysis analysis) ->
          sink.send(topics.analyses(), key, analysis, analysis.revision());
      case TriageEffect.GiveUp up ->
          sink.deadLetter(
              key.toString().getBytes(StandardCharsets.UTF_8),
              DeadLetterPublisher.letter(
                  up.reason(),
                  topics.workItems(),
                  up.at().partition(),
                  up.at().offset(),
                  RecordJson.bytes(up.snapshot()),
                  "triage",
                  sink.now()));
    }
  }

  /** The machine failed on an input; nothing was changed. */
  private static final class Undecidable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Undecidable(RuntimeException cause) {
      super("no decision: " + cause, cause);
    }
  }
}
