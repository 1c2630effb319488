package dev.flyball.triage.classify;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ShadowComparison.Compared;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Has the newest snapshot of each item judged by another classifier, and compares its verdicts with
 * those that the items' states hold. It reads without a group, so nothing that runs notices it, and
 * writes nothing: the classifier books what its calls cost. One thread.
 */
public final class ShadowRun {
  /** Most items of a run: with both verdicts about 50 MB, in a heap of 192 MB. */
  private static final int MOST_ITEMS = 20_000;

  private static final Duration REACH = Duration.ofSeconds(5);

  private final KafkaClients clients;
  private final Classifier classifier;
  private final Settings settings;
  private final BooleanSupplier goesOn;

  /** Names this run's calls in the ledger. */
  private final String run = UUID.randomUUID().toString();

  /** The offset of the newest state of each item that is judged. */
  private final Map<String, Long> chosen = new HashMap<>();

  private final Map<String, String> undecided = new TreeMap<>();
  private final List<Compared> compared = new ArrayList<>();
  private final List<Long> sessionMicros = new ArrayList<>();
  private final List<Judged> waiting = new ArrayList<>();
  private long waitingBytes;
  private int calls;

  /**
   * What is judged.
   *
   * @param since items that changed from this time on
   * @param items most items of a batch
   * @param bytes most bytes of a batch's items; a larger item is judged alone
   */
  public record Settings(Instant since, int items, long bytes) {}

  /** A snapshot that is judged again, and its verdict. */
  private record Judged(String item, ItemState state, Verdict verdict) {}

  /**
   * Nothing is opened yet.
   *
   * @param goesOn read before every step; false ends the run
   */
  public ShadowRun(
      KafkaClients clients, Classifier classifier, Settings settings, BooleanSupplier goesOn) {
    this.clients = clients;
    this.classifier = classifier;
    this.settings = settings;
    this.goesOn = goesOn;
  }

  /**
   * Reads, judges and compares; called once.
   *
   * @throws dev.flyball.kafka.KafkaFailure if no broker answers
   * @throws StartFailure with one line if there is too much to compare, the classifier does not
   *     answer, a budget is spent, or the run was ended
   */
  public ShadowComparison run() {
    clients.reach(REACH);
    String topic = clients.topics().itemState();
    try (Consumer<String, byte[]> consumer = clients.consumer("shadow")) {
      Map<TopicPartition, Long> ends = TopicTail.of(consumer, topic).ends();
      read(TopicTail.of(consumer, topic), ends, this::choose);
      if (chosen.size() > MOST_ITEMS) {
        throw new StartFailure(
            "since "
                + settings.since()
                + " more than "
                + MOST_ITEMS
                + " items changed, which is more than a shadow run compares; use a shorter"
                + " --since");
      }
      read(TopicTail.of(consumer, topic), ends, this::judge);
      judgeWaiting();
    }
    return new ShadowComparison(compared, undecided, sessionMicros);
  }

  private void read(
      TopicTail tail,
      Map<TopicPartition, Long> ends,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    boolean all =
        tail.readTo(
            ends,
            record -> {
              requireGoingOn();
              reader.accept(record);
            },
            REACH);
    if (!all) {
      clients.reach(REACH);
      throw new StartFailure("Kafka returns no item states; check its brokers");
    }
  }

  /** Notes whether the item of a state is judged: the newest state is read last. */
  private void choose(ConsumerRecord<String, byte[]> record) {
    String item = record.key();
    chosen.remove(item);
    undecided.remove(item);
    ItemState state = state(record);
    if (state == null || state.updatedAt().isBefore(settings.since())) {
      return;
    }
    ItemState.Pending pending = state.pending();
    if (pending != null) {
      undecided.put(item, pending.snapshot().revision());
    } else if (state.verdict() != null) {
      chosen.put(item, record.offset());
    } else if (state.phase() instanceof ItemPhase.New
        || state.phase() instanceof ItemPhase.Triaging) {
      undecided.put(item, state.snapshot().revision());
    }
  }

  /** Null for an item that is forgotten, or whose state its own reader gives up too. */
  private static @Nullable ItemState state(ConsumerRecord<String, byte[]> record) {
    try {
      return record.value() == null ? null : RecordJson.read(record.value(), ItemState.class);
    } catch (UnreadableRecord e) {
      return null;
    }
  }

  private void judge(ConsumerRecord<String, byte[]> record) {
    if (!Long.valueOf(record.offset()).equals(chosen.get(record.key()))) {
      return;
    }
    ItemState state = state(record);
    Verdict verdict = state == null ? null : state.verdict();
    if (state == null || verdict == null) {
      return;
    }
    int bytes = record.value().length;
    if (waiting.size() == settings.items() || waitingBytes + bytes > settings.bytes()) {
      judgeWaiting();
    }
    waiting.add(new Judged(record.key(), state, verdict));
    waitingBytes += bytes;
    state.sessions().stream()
        .filter(each -> each.outcome() == Outcome.COMPLETED)
        .map(ItemState.SessionNote::costMicros)
        .forEach(sessionMicros::add);
  }

  /**
   * Judges what waits by one call.
   *
   * @throws StartFailure if there is no answer, or a tenant's budget left items out: with the
   *     reason
   */
  private void judgeWaiting() {
    if (waiting.isEmpty()) {
      return;
    }
    requireGoingOn();
    var batch = new ArrayList<Question>();
    for (Judged each : waiting) {
      String question = Integer.toString(batch.size());
      batch.add(new Question(question, ItemKey.parse(each.item()), each.state().snapshot()));
    }
    String id = run + "-" + ++calls;
    Answer answer = answer(id, batch);
    if (!answer.unasked().isEmpty()) {
      // The rules would judge these, which is not what the other configuration is compared by.
      throw new StartFailure(ended(answer.unasked().values().iterator().next()));
    }
    List<Verdict> verdicts = answer.verdicts(batch, classifier, id);
    for (int i = 0; i < batch.size(); i++) {
      Judged each = waiting.get(i);
      compared.add(
          new Compared(
              each.item(), each.state().snapshot().revision(), each.verdict(), verdicts.get(i)));
    }
    waiting.clear();
    waitingBytes = 0;
  }

  private Answer answer(String id, List<Question> batch) {
    try {
      return classifier.classify(id, batch);
    } catch (ModelFailure e) {
      throw new StartFailure(ended(String.valueOf(e.getMessage())), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure(ended("interrupted"), e);
    }
  }

  private String ended(String reason) {
    return "the shadow run ended after " + compared.size() + " verdicts: " + reason;
  }

  private void requireGoingOn() {
    if (!goesOn.getAsBoolean()) {
      throw new StartFailure("the shadow run was stopped");
    }
  }
}
