package dev.flyball.triage.topology;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemState;
import dev.flyball.triage.item.LostRecords;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces what one partition of session-requests lost, in the order that {@link LostRecords}
 * defines. It works in passes, so that neither a transaction nor the records behind it wait long.
 * One stream thread.
 */
final class RequestsRepair {
  private static final Logger LOG = LoggerFactory.getLogger(RequestsRepair.class);

  /** Most steps in a pass. */
  private static final int MOST = 2_000;

  private final TriageTopology.Settings settings;
  private final LostRequests lost;
  private final int partition;
  private final ItemStores stores;
  private final RecordSink wire;
  private @Nullable Work work;

  RequestsRepair(
      TriageTopology.Settings settings,
      LostRequests lost,
      int partition,
      ItemStores stores,
      RecordSink wire) {
    this.settings = settings;
    this.lost = lost;
    this.partition = partition;
    this.stores = stores;
    this.wire = wire;
  }

  /** The work that is left for one loss. */
  private static final class Work {
    private final LostRequests.Loss loss;
    private final LostRecords decision;
    private final Iterator<Map.Entry<String, String>> left;
    private final KeyValueIterator<String, byte[]> items;
    private long fillers;

    Work(LostRequests.Loss loss, LostRecords decision, KeyValueIterator<String, byte[]> items) {
      this.loss = loss;
      this.decision = decision;
      this.left = loss.left().entrySet().iterator();
      this.items = items;
      this.fillers = loss.tail().missing();
    }
  }

  /** Does a part of the work, before anything else is written to the partition. */
  void pass() {
    Work now = work;
    if (now == null) {
      LostRequests.Loss loss = lost.of(partition);
      if (loss == null) {
        return;
      }
      LOG.error("{}; they are replaced", loss.tail().text());
      var decision = new LostRecords(settings.machine(), loss.ledger());
      now = new Work(loss, decision, stores.items());
      work = now;
    }
    for (int i = 0; i < MOST; i++) {
      if (!step(now)) {
        close();
        lost.replaced(partition);
        LOG.warn("lost session requests are replaced: partition={}", partition);
        break;
      }
    }
    wire.flush();
  }

  /** Does one step; false once nothing is left to do. */
  private boolean step(Work now) {
    if (now.left.hasNext()) {
      withdraw(now, now.left.next());
    } else if (now.fillers > 0) {
      now.fillers--;
      wire.send(settings.topics().sessionRequests(), filler(), null, null);
    } else if (now.items.hasNext()) {
      again(now, now.items.next().key);
    } else {
      return false;
    }
    return true;
  }

  private void withdraw(Work now, Map.Entry<String, String> left) {
    ItemKey key = stores.key(left.getKey());
    ItemState state = key == null ? null : stores.item(key).state();
    if (key != null && now.decision.unwanted(key, state, left.getValue())) {
      wire.send(settings.topics().sessionRequests(), left.getKey(), null, null);
    }
  }

  private void again(Work now, String name) {
    ItemKey key = stores.key(name);
    ItemState state = key == null ? null : stores.item(key).state();
    SessionRequest missing =
        key == null || state == null
            ? null
            : now.decision.missing(key, state, now.loss.left().get(name));
    if (missing != null) {
      wire.send(settings.topics().sessionRequests(), name, missing, null);
    }
  }

  /** Releases the iterator when the task ends. */
  void close() {
    Work now = work;
    if (now != null) {
      now.items.close();
      work = null;
    }
  }

  /** Returns a key of this partition that no item can have, so that its tombstone has no effect. */
  private String filler() {
    for (int n = 0; ; n++) {
      String key = "-/-/filler-" + n;
      if (Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8)))
              % settings.partitions()
          == partition) {
        return key;
      }
    }
  }
}
