package dev.flyball.triage.topology;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.item.Input;
import dev.flyball.triage.item.Input.SessionRef;
import dev.flyball.triage.item.InputPosition;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/** Reads records into inputs, strictly: a record that lacks what a decision needs is unreadable. */
final class Inputs {
  /**
   * Largest snapshot, in bytes of its record. A state holds up to two of them, and its record must
   * stay below the broker's limit of 1 MiB: a record that the broker rejects would kill the stream
   * thread repeatedly.
   */
  static final int MOST_SNAPSHOT = 400_000;

  /**
   * Largest result that is kept whole, in bytes of its record. The reason is the same: two sessions
   * of an item may wait for their terminals at the same time.
   */
  static final int MOST_RESULT = 400_000;

  /** Largest other event, in bytes; its fields are repeated in a terminal. */
  static final int MOST_EVENT = 50_000;

  private static final int MOST_VERDICT = 50_000;
  private static final int MOST_REASON = 500;

  private final Topics topics;

  // Topics makes a name at each call, and these are compared with that of every record.
  private final String workItems;
  private final String sessionEvents;
  private final String commands;

  Inputs(Topics topics) {
    this.topics = topics;
    this.workItems = topics.workItems();
    this.sessionEvents = topics.sessionEvents();
    this.commands = topics.commands();
  }

  boolean snapshot(InputPosition origin) {
    return origin.topic().equals(workItems);
  }

  /** A record's key. */
  static ItemKey key(byte @Nullable [] key) {
    if (key == null) {
      throw new UnreadableRecord("the key is missing");
    }
    try {
      return ItemKey.parse(new String(key, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new UnreadableRecord("the key is no item key: " + e.getMessage());
    }
  }

  /**
   * Whether the record is for the machine. Of session-events only few are, which the headers alone
   * show. A command to poll a source is for the producer.
   */
  boolean concerns(InputPosition origin, Record<byte[], byte[]> record) {
    if (origin.topic().equals(commands)) {
      return !polls(record);
    }
    if (!origin.topic().equals(sessionEvents)) {
      return true;
    }
    if (EventHeaders.text(record.headers(), "ce_type") == null) {
      throw new UnreadableRecord("header ce_type is missing");
    }
    return EventHeaders.typeOf(record.headers()).filter(Inputs::listened).isPresent();
  }

  /** Whether the record is a command to poll a source; its key is {@code tenant/source}. */
  private static boolean polls(Record<byte[], byte[]> record) {
    byte[] key = record.key();
    return key != null
        && record.value() != null
        && new String(key, StandardCharsets.UTF_8).chars().filter(each -> each == '/').count() == 1
        && RecordJson.read(record.value(), Command.class) instanceof Command.Poll;
  }

  /**
   * Returns the record's input.
   *
   * @throws UnreadableRecord with the reason
   */
  Input read(InputPosition origin, Record<byte[], byte[]> record) {
    try {
      return input(origin, record);
    } catch (UnreadableRecord e) {
      throw e;
    } catch (RuntimeException e) {
      // Whatever failure a record causes, it would kill the stream thread repeatedly.
      throw new UnreadableRecord("cannot be read: " + e);
    }
  }

  private Input input(InputPosition origin, Record<byte[], byte[]> record) {
    byte[] value = record.value();
    if (value == null && origin.topic().equals(topics.triageVerdicts())) {
      String deferred = EventHeaders.text(record.headers(), EventHeaders.DEFERRED);
      return deferred == null
          ? new Input.VerdictMissing(origin, "its question was unreadable")
          : new Input.VerdictDeferred(origin, OneLine.of(deferred, MOST_REASON));
    }
    if (value == null) {
      throw new UnreadableRecord("a tombstone means nothing here");
    }
    if (snapshot(origin)) {
      bounded("snapshot", value.length, MOST_SNAPSHOT);
      return new Input.SnapshotSeen(origin, RecordJson.read(value, Snapshot.class));
    } else if (origin.topic().equals(topics.triageVerdicts())) {
      bounded("verdict", value.length, MOST_VERDICT);
      return new Input.VerdictGiven(origin, verdict(value));
    } else if (origin.topic().equals(commands)) {
      bounded("command", value.length, MOST_SNAPSHOT + MOST_EVENT);
      return new Input.CommandGiven(origin, RecordJson.read(value, Command.class));
    }
    return event(origin, EventHeaders.read(record.headers(), value), value.length);
  }

  private static boolean listened(EventType type) {
    return type == EventType.SESSION_CLAIMED
        || type == EventType.SESSION_SPAWNED
        || type == EventType.SESSION_IDENTIFIED
        || type == EventType.SESSION_KILLED
        || type == EventType.SESSION_RESULT
        || type == EventType.SESSION_LEASE_ENDED;
  }

  private static void bounded(String what, int size, int most) {
    if (size > most) {
      throw new UnreadableRecord(
          "a " + what + " of " + size + " bytes is above the limit of " + most);
    }
  }

  private static Input event(InputPosition origin, LifecycleEvent event, int size) {
    EventData data = event.data();
    if (event.type() != EventType.SESSION_RESULT) {
      bounded("session event", size, MOST_EVENT);
    }
    SessionRef session = session(data);
    if (event.type() == EventType.SESSION_CLAIMED) {
      var _ = require(data, Field.RUNNER);
    } else if (event.type() == EventType.SESSION_LEASE_ENDED) {
      outcome(require(data, Field.OUTCOME));
    } else if (event.type() == EventType.SESSION_RESULT) {
      // Read in full now: a broken result must not be found only when its session's terminal is
      // due.
      SessionResult result =
          data.record(Field.RESULT, SessionResult.class)
              .orElseThrow(() -> new UnreadableRecord("field result is missing"));
      bounded("result's frame", size - RecordJson.bytes(result).length, MOST_EVENT);
      present("text", result.text());
      present("agent", result.agent());
      data.text(Field.OUTCOME).ifPresent(Inputs::outcome);
      data = data.with(Field.RESULT, result.within(MOST_RESULT));
    }
    return new Input.SessionReported(origin, session, event.type(), event.time(), data);
  }

  private static SessionRef session(EventData data) {
    String token = require(data, Field.TOKEN);
    try {
      return new SessionRef(
          require(data, Field.SESSION), Token.parse(token), data.text(Field.REQUEST).orElse(""));
    } catch (IllegalArgumentException e) {
      throw new UnreadableRecord("field token: " + e.getMessage());
    }
  }

  private static void outcome(String label) {
    try {
      var _ = Outcome.ofLabel(label);
    } catch (IllegalArgumentException e) {
      throw new UnreadableRecord("field outcome: " + e.getMessage());
    }
  }

  private static Verdict verdict(byte[] value) {
    Verdict v = RecordJson.read(value, Verdict.class);
    present("triage", v.triage());
    present("reason", v.reason());
    present("model", v.model());
    present("batch", v.batch());
    return v;
  }

  private static String require(EventData data, Field field) {
    Optional<String> text = data.text(field);
    return text.orElseThrow(() -> new UnreadableRecord("field " + field.json() + " is missing"));
  }

  // Jackson sets a missing property to null, whatever the record's types declare.
  private static void present(String name, @Nullable Object value) {
    if (value == null) {
      throw new UnreadableRecord("property " + name + " is missing");
    }
  }
}
