package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A projection of some items, for tests of what is read from it. */
public final class SeededProjection {
  private static final Instant T = Instant.parse("2026-02-10T08:00:00Z");
  private static final LedgerEntry INIT = new LedgerEntry.Init(3, 45_000, List.of());

  private SeededProjection() {}

  /** Writes items in the state new. */
  public static void write(Path folder, String... keys) {
    var projection = new Projection(folder, 10, 10);
    try {
      for (String key : keys) {
        projection.commit(() -> projection.items.put(key, state()));
      }
    } finally {
      projection.close();
    }
  }

  /** Writes what happened in each of these tenants: a session, a poll, a dead letter, an action. */
  public static void history(Path folder, String... tenants) {
    var projection = new Projection(folder, 100, 100);
    try {
      projection.commit(() -> {
        LedgerState ledger = LedgerState.empty().fold(INIT, 0, T).state();
        for (String tenant : tenants) {
          history(projection, tenant, ledger.offset() + 1);
          var cap = new LedgerEntry.Cap("tenant:" + tenant, 1, -1, "ann", "quiet of " + tenant);
          ledger = ledger.fold(cap, ledger.offset() + 1, T).state();
        }
        projection.ledger.keep(ledger);
      });
    } finally {
      projection.close();
    }
  }

  private static void history(Projection projection, String tenant, long offset) {
    String key = tenant + "/s/1";
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, "session-of-" + tenant)
            .with(Field.POLL, "poll-of-" + tenant)
            .with(Field.REASON, "reason of " + tenant)
            .with(Field.EXIT_CODE, 1);
    event(projection, EventType.SESSION_FAILED, key, data);
    event(projection, EventType.POLL_STARTED, tenant + "/s", data);
    event(projection, EventType.POLL_FAILED, tenant + "/s", data);
    var letter =
        new DeadLetter("letter of " + tenant, "flyball.work-items", 0, offset, "{", "triage", T);
    projection.deadLetter(new ConsumerRecord<>("dead", 0, offset, key, RecordJson.bytes(letter)));
    projection.ledger.entry(
        new LedgerEntry.Budget(
            "tenant:" + tenant, new Limits(1_000_000L, null), -1, "ann", "money of " + tenant),
        offset,
        T);
  }

  private static void event(Projection projection, EventType type, String subject, EventData data) {
    projection.event(new LifecycleEvent(subject + type, type, "/runner/r1", subject, T, data), T);
  }

  private static ItemState state() {
    return Sample.state(Sample.snapshot("A title", "text"), new ItemPhase.New(), 0, T);
  }
}
