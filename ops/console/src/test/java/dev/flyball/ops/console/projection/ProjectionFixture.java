package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A projection that a test writes, and its readers' view of it. */
abstract class ProjectionFixture {
  static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  @TempDir Path folder;
  @AutoClose Projection projection;
  @AutoClose ConsoleView view;
  LedgerState ledger = LedgerState.empty();
  private final int timeline;
  private final int sessions;

  ProjectionFixture() {
    this(10, 100);
  }

  /** Keeps so many events of an item, and so many ended sessions. */
  ProjectionFixture(int timeline, int sessions) {
    this.timeline = timeline;
    this.sessions = sessions;
  }

  @BeforeEach
  void open() {
    projection = new Projection(folder, timeline, sessions);
    view = ConsoleView.open(folder).orElseThrow();
  }

  /** Stores an item in this state; null forgets it. */
  void put(String key, @Nullable ItemPhase phase) {
    projection.commit(() -> projection.items.put(key, phase == null ? null : state(phase, T)));
  }

  /** Stores an event. */
  void says(EventType type, String subject, Instant at, EventData data) {
    projection.commit(() ->
        projection.event(
            new LifecycleEvent("e" + at + type, type, "/test", subject, at, data), at));
  }

  /** Folds an entry and stores the ledger. */
  void fold(LedgerEntry entry) {
    ledger = ledger.fold(entry, ledger.offset() + 1, T).state();
    keep();
  }

  /** Stores the ledger and its rows. */
  void keep() {
    projection.commit(() -> {
      projection.ledger.put(ledger, T);
      projection.ledger.keep(ledger);
    });
  }

  static ItemState state(ItemPhase phase, Instant at) {
    return Sample.state(Sample.snapshot("Search <is> slow", "text"), phase, 7, at);
  }
}
