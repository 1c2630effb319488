package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.text.Labelled;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.CommandSender.Making;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What brings the content of dead letters back, a page of items at a time: a month of dead letters
 * may be more than fits into memory, so each page reads them again. Lines of a file do not come
 * back, because the next poll reads them again; records of runners and of the classifier apply only
 * to the time at which they were written. Used once, by one thread.
 */
public final class DeadLetters {
  private static final Duration REACH = Duration.ofSeconds(5);

  private final Action action;
  private final Topics topics;
  private final Set<String> wanted;
  private final int most;

  /** What the page brings back, by key; the keys of earlier pages; whether others are left. */
  private final Map<String, Found> selected = new LinkedHashMap<>();

  private final Set<String> before = new HashSet<>();
  private boolean more;

  private final List<Outcome> results = new ArrayList<>();

  /** The keys that the action cannot act on, with the reason, and which of them it should have. */
  private final SortedMap<String, String> stay = new TreeMap<>();

  private final Set<String> unreadable = new HashSet<>();

  /** What is done with dead letters. */
  public enum Action implements Labelled {
    /** Triages of each item the newest snapshot from work-items that can be read. */
    REQUEUE,
    /** Delivers of each item the newest analysis. */
    REDELIVER;

    private String topic(Topics topics) {
      return this == REQUEUE ? topics.workItems() : topics.analyses();
    }

    private String others() {
      return this == REQUEUE
          ? "only records of work-items can be requeued"
          : "only analyses can be delivered again";
    }

    private Found found(DeadLetter letter) {
      String value = letter.value() == null ? "" : letter.value();
      if (value.length() == DeadLetter.MAX_VALUE) {
        throw new UnreadableRecord("it is longer than a dead letter keeps");
      }
      if (this == REQUEUE) {
        Snapshot snapshot = RecordJson.read(value, Snapshot.class);
        var from = new Position(letter.partition(), letter.offset());
        // The one that is read last is the newest.
        return new Found(
            Instant.EPOCH,
            (id, who, at, why) -> new Command.Requeue(id, who, at, why, snapshot, from));
      }
      Analysis analysis = RecordJson.read(value, Analysis.class);
      return new Found(
          analysis.at(), (id, who, at, why) -> new Command.Redeliver(id, who, at, why, analysis));
    }
  }

  /** What a dead letter holds: the command that brings it back, and of what time it is. */
  record Found(Instant at, Making making) {}

  /**
   * What became of the items of all pages.
   *
   * @param results of the commands that were sent, in their order
   * @param stay keys with dead letters that the command cannot act on, with the reason
   * @param leftOut how many of them it should have acted on but cannot read, and 1 for an unknown
   *     number of items if Kafka took the commands of a page only in part: the pages end there
   */
  public record Returned(List<Outcome> results, SortedMap<String, String> stay, long leftOut) {}

  /**
   * An action on dead letters.
   *
   * @param wanted only those with one of these keys, or, where it is no whole key, with such an id
   *     at their end; empty for all
   */
  public DeadLetters(Action action, Topics topics, Collection<String> wanted) {
    this(action, topics, wanted, ItemAction.MOST);
  }

  DeadLetters(Action action, Topics topics, Collection<String> wanted, int most) {
    this.action = action;
    this.topics = topics;
    this.wanted = Set.copyOf(wanted);
    this.most = most;
  }

  /**
   * Acts on all dead letters of the topic, page by page.
   *
   * @param order sends the commands of a page
   * @param progress takes the number of commands sent so far, after each page but the last
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure if the topic does not exist, or a partition of it is not answered
   */
  public Returned bringBack(
      KafkaClients clients,
      By by,
      Function<Map<Command, String>, List<Outcome>> order,
      IntConsumer progress) {
    return bringBack(
        () -> read(clients, record -> take(record.key(), of(record))), by, order, progress);
  }

  /** The same where this takes all dead letters. */
  Returned bringBack(
      Runnable reading,
      By by,
      Function<Map<Command, String>, List<Outcome>> order,
      IntConsumer progress) {
    while (true) {
      reading.run();
      stay.keySet().removeAll(selected.keySet());
      unreadable.retainAll(stay.keySet());
      var commands = new LinkedHashMap<Command, String>();
      selected.forEach((key, found) -> commands.put(by.command(found.making()), key));
      List<Outcome> answers = commands.isEmpty() ? List.of() : order.apply(commands);
      results.addAll(answers);
      boolean stopped = more && !answers.stream().allMatch(Outcome::acknowledged);
      if (!more || stopped) {
        return new Returned(results, stay, unreadable.size() + (stopped ? 1 : 0));
      }
      progress.accept(results.size());
      before.addAll(selected.keySet());
      selected.clear();
      more = false;
    }
  }

  /** Takes up one dead letter, if the action applies to it. */
  void take(@Nullable String key, DeadLetter letter) {
    if (key == null || !isWanted(key) || before.contains(key)) {
      return;
    }
    if (!letter.topic().equals(action.topic(topics))) {
      stay.put(key, "a record of " + letter.topic() + "; " + action.others());
      return;
    }
    try {
      var _ = ItemKey.parse(key);
      Found found = action.found(letter);
      if (selected.size() < most || selected.containsKey(key)) {
        selected.merge(key, found, (old, read) -> read.at().isBefore(old.at()) ? old : read);
      } else {
        more = true;
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      stay.put(key, "its value cannot be read: " + e.getMessage());
      unreadable.add(key);
    }
  }

  private boolean isWanted(String key) {
    return wanted.isEmpty()
        || wanted.stream()
            .anyMatch(each -> key.equals(each) || (!isKey(each) && key.endsWith("/" + each)));
  }

  /**
   * Whether a name is a whole key. It names that item only: an id may contain slashes, so the key
   * of another tenant's item may end with it.
   */
  private static boolean isKey(String name) {
    try {
      ItemKey.parse(name);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Passes every dead letter to the reader, the oldest first. None is kept in memory. */
  static void read(KafkaClients clients, Consumer<ConsumerRecord<String, byte[]>> reader) {
    clients.reach(REACH);
    String topic = clients.topics().deadLetters();
    try (KafkaConsumer<String, byte[]> consumer = clients.consumer("letters")) {
      var tail = TopicTail.of(consumer, topic);
      if (tail.partitions().isEmpty()) {
        throw new StartFailure("there is no topic " + topic + " yet: start ./flyball up");
      }
      if (!tail.readToEnd(reader, REACH)) {
        // A broker that is away is the more frequent cause, and has a line that says more.
        clients.reach(REACH);
        throw new StartFailure(silent(topic));
      }
    } catch (TimeoutException e) {
      throw new StartFailure(silent(topic), e);
    }
  }

  private static String silent(String topic) {
    return "topic "
        + topic
        + " cannot be read to its end: a partition may have no leader; check the brokers";
  }

  /** A record's dead letter; for a record that is none, only its place. */
  public static DeadLetter of(ConsumerRecord<String, byte[]> record) {
    try {
      return RecordJson.read(record.value(), DeadLetter.class);
    } catch (UnreadableRecord e) {
      return new DeadLetter(
          "itself unreadable: " + e.getMessage(),
          record.topic(),
          record.partition(),
          record.offset(),
          null,
          "",
          Instant.ofEpochMilli(record.timestamp()));
    }
  }
}
