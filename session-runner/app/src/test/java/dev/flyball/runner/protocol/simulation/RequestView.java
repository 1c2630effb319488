package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What one runner has read of session-requests. */
final class RequestView {
  private final Requests topic;
  private final long[] readTo = new long[Requests.PARTITIONS];
  private final long[] compactedTo = new long[Requests.PARTITIONS];
  private final Map<ItemKey, Requests.Row> newest = new LinkedHashMap<>();

  /**
   * @param compacted whether what was written so far has been compacted before this reader came
   */
  RequestView(Requests topic, boolean compacted) {
    this.topic = topic;
    for (int i = 0; compacted && i < Requests.PARTITIONS; i++) {
      compactedTo[i] = topic.end(i);
    }
  }

  void readAll() {
    for (int partition = 0; partition < readTo.length; partition++) {
      while (readTo[partition] < topic.end(partition)) {
        long offset = readTo[partition]++;
        Requests.Row record = topic.at(partition, offset);
        if (offset < compactedTo[partition] && topic.compacted(record)) {
          continue;
        }
        if (record.request() == null) {
          newest.remove(record.item());
        } else {
          newest.put(record.item(), record);
        }
      }
    }
  }

  /**
   * The oldest request that the ledger would permit; one that it would not must not keep others
   * waiting.
   */
  Optional<LedgerEntry.Claim> next(
      String session, String runner, LedgerState ledger, Instant ledgerNow) {
    return newest.values().stream()
        .flatMap(record -> claim(record, session, runner).stream())
        .filter(claim -> ledger.whyNot(claim, ledgerNow).isEmpty())
        .findFirst();
  }

  private Optional<LedgerEntry.Claim> claim(Requests.Row record, String session, String runner) {
    String request = record.request();
    return request == null
        ? Optional.empty()
        : Optional.of(claim(record, request, session, runner));
  }

  private LedgerEntry.Claim claim(
      Requests.Row record, String request, String session, String runner) {
    return new LedgerEntry.Claim(
        request,
        new Position(record.partition(), record.offset()),
        readTo[record.partition()],
        record.item(),
        record.attempt(),
        session,
        runner,
        Incarnation.PROVIDER,
        LedgerState.RULES,
        Incarnation.RESERVE);
  }

  boolean stands(ItemKey item, String request) {
    Requests.Row record = newest.get(item);
    return record != null && request.equals(record.request());
  }

  OptionalLong replacedBy(SpentRequest spent) {
    Requests.Row record = newest.get(spent.item());
    if (record != null && record.offset() >= spent.requestAt().offset()) {
      return spent.request().equals(record.request())
          ? OptionalLong.empty()
          : OptionalLong.of(record.offset());
    }
    long last = readTo[spent.requestAt().partition()] - 1;
    return last > spent.requestAt().offset() ? OptionalLong.of(last) : OptionalLong.empty();
  }
}
