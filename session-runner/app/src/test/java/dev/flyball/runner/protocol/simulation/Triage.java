package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LedgerState.Folded;
import dev.flyball.contract.session.Outcome;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * triage-stream in short: it alone says what should run, retries, and writes terminal events.
 * Exactly once.
 */
final class Triage {
  private static final int ATTEMPTS = 3;
  private static final int LOSSES = 5;

  private final World world;
  private final Log log;
  private final Requests requests;
  private final Watcher watcher;
  private final Map<ItemKey, Item> items = new LinkedHashMap<>();
  private final Map<String, Outcome> results = new HashMap<>();
  private LedgerState ledger = LedgerState.empty();
  private long readTo;
  private int made;
  private boolean lagging;

  Triage(World world, Log log, Requests requests, Watcher watcher) {
    this.world = world;
    this.log = log;
    this.requests = requests;
    this.watcher = watcher;
    log.onAppend(this::soon);
  }

  private static final class Item {
    @Nullable String outstanding;
    boolean running;
    boolean pending;
    int failures;
    int losses;
    int retries;
  }

  void lag(boolean is) {
    lagging = is;
    soon();
  }

  /** A newer snapshot: it replaces a queued request, waits for a running one, or cancels it. */
  void changed(ItemKey key) {
    Item item = items.computeIfAbsent(key, unknown -> new Item());
    if (item.running && world.random.nextBoolean()) {
      item.pending = true;
    } else {
      item.failures = 0;
      item.losses = 0;
      request(key, item);
    }
  }

  void result(String session, Outcome outcome) {
    results.put(session, outcome);
  }

  @Nullable Outcome knownResult(String session) {
    return results.get(session);
  }

  boolean settled() {
    return items.values().stream().allMatch(item -> item.outstanding == null);
  }

  List<String> outstanding() {
    return items.entrySet().stream()
        .filter(each -> each.getValue().outstanding != null)
        .map(each -> each.getKey() + " " + each.getValue().outstanding)
        .toList();
  }

  private void soon() {
    world.after(world.between(World.MS, 30 * World.MS), this::read);
  }

  private void read() {
    while (!lagging && readTo < log.end()) {
      long offset = readTo++;
      Log.Appended record = log.at(offset);
      Folded folded =
          ledger.fold(world.mutation.bend(record.entry(), ledger), offset, record.time());
      ledger = folded.state();
      if (folded.effect() instanceof Effect.Claimed claimed) {
        claimed(claimed.lease());
      } else if (folded.effect() instanceof Effect.Released released) {
        ended(released.lease(), released.release().outcome());
      } else if (folded.effect() instanceof Effect.Expired expired) {
        ended(expired.lease(), results.getOrDefault(expired.lease().session(), Outcome.LOST));
      }
    }
  }

  private void claimed(Lease lease) {
    Item item = items.get(lease.item());
    if (item != null && lease.request().equals(item.outstanding)) {
      item.running = true;
    }
  }

  private void ended(Lease lease, Outcome outcome) {
    watcher.terminal(lease.session());
    Item item = items.get(lease.item());
    if (item == null || !lease.request().equals(item.outstanding)) {
      return;
    }
    item.running = false;
    if (item.pending) {
      item.pending = false;
      request(lease.item(), item);
      return;
    }
    switch (outcome) {
      case COMPLETED, CANCELLED -> withdraw(lease.item(), item);
      case INTERRUPTED -> request(lease.item(), item);
      case FAILED, TIMED_OUT -> retry(lease.item(), item, ++item.failures < ATTEMPTS);
      case LOST -> retry(lease.item(), item, ++item.losses < LOSSES);
    }
  }

  private void retry(ItemKey key, Item item, boolean again) {
    if (!again) {
      withdraw(key, item);
      return;
    }
    String failed = item.outstanding;
    int retry = ++item.retries;
    if (world.random.nextBoolean()) {
      requests.put(key, null, 0);
    }
    world.after(
        world.between(0, 5 * World.SECOND),
        () -> {
          if (retry == item.retries && failed != null && failed.equals(item.outstanding)) {
            request(key, item);
          }
        });
  }

  private void request(ItemKey key, Item item) {
    item.outstanding = "q" + made++;
    item.running = false;
    requests.put(key, item.outstanding, item.failures + 1);
  }

  private void withdraw(ItemKey key, Item item) {
    item.outstanding = null;
    requests.put(key, null, 0);
  }
}
