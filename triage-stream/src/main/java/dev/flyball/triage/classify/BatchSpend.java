package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a batch cost, as the ledger books it to the budgets of each tenant and of all. The refs
 * follow from the id of the call, so what is published again after a crash is booked once.
 */
final class BatchSpend {
  private BatchSpend() {}

  /**
   * One ledger record for each tenant with a share in the answer.
   *
   * @param held whether money may be held back for the call: then what cost nothing is booked too,
   *     which ends that
   */
  static List<ProducerRecord<String, byte[]>> records(
      CallJournal.Answered batch, boolean held, Topics topics) {
    var micros = new TreeMap<String, Long>();
    var tokens = new TreeMap<String, Long>();
    for (CallJournal.Entry entry : batch.entries()) {
      String tenant = ItemKey.parse(entry.key()).tenant();
      micros.merge(tenant, entry.verdict().costMicros(), Long::sum);
      tokens.merge(tenant, entry.tokens(), Long::sum);
    }
    return records(micros, tokens, batch.id(), held, topics);
  }

  /**
   * One ledger record for each tenant of a call that gave no verdicts, if it cost something. The
   * refs follow from its id, so that a crash books nothing twice.
   *
   * @param tenants that of each question's item
   * @param held as for {@link #records}
   */
  static List<ProducerRecord<String, byte[]>> unanswered(
      String id, List<String> tenants, long costMicros, long tokens, boolean held, Topics topics) {
    return records(shares(tenants, costMicros), shares(tenants, tokens), id, held, topics);
  }

  /** The ref under which the ledger reserves and books what a tenant pays for a call. */
  static String ref(String call, String tenant) {
    return call + "/" + tenant;
  }

  /**
   * What each tenant pays of a total: equal shares for all questions, as verdicts split a cost.
   *
   * @param tenants that of each question's item
   */
  static Map<String, Long> shares(List<String> tenants, long total) {
    var shares = new TreeMap<String, Long>();
    for (int i = 0; i < tenants.size(); i++) {
      shares.merge(tenants.get(i), Verdicts.share(total, i, tenants.size()), Long::sum);
    }
    return shares;
  }

  /** An entry as a record of the ledger, which has one partition. */
  static ProducerRecord<String, byte[]> record(LedgerEntry entry, Topics topics) {
    String topic = topics.sessionLedger();
    return new ProducerRecord<>(
        topic, 0, "-", RecordJson.bytes(entry), EventHeaders.schema(topics.spec(topic).schema()));
  }

  private static List<ProducerRecord<String, byte[]>> records(
      Map<String, Long> micros,
      Map<String, Long> tokens,
      String call,
      boolean held,
      Topics topics) {
    return micros.entrySet().stream()
        .map(each -> {
          String tenant = each.getKey();
          long used = tokens.getOrDefault(tenant, 0L);
          return new LedgerEntry.Spend(tenant, ref(call, tenant), each.getValue(), used);
        })
        .filter(spend -> held || spend.costMicros() > 0 || spend.tokens() > 0)
        .map(spend -> record(spend, topics))
        .toList();
  }
}
