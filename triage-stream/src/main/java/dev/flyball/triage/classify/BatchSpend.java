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

  /** What one tenant pays for; cost in micro-dollars. */
  private record Share(long costMicros, long tokens) {
    Share plus(Share other) {
      return new Share(costMicros + other.costMicros, tokens + other.tokens);
    }
  }

  /**
   * One ledger record for each tenant with a share in the answer.
   *
   * @param held whether money may be held back for the call: then what cost nothing is booked too,
   *     which ends that
   */
  static List<ProducerRecord<String, byte[]>> records(
      CallJournal.Answered batch, boolean held, Topics topics) {
    var shares = new TreeMap<String, Share>();
    for (CallJournal.Entry entry : batch.entries()) {
      var share = new Share(entry.verdict().costMicros(), entry.tokens());
      shares.merge(ItemKey.parse(entry.key()).tenant(), share, Share::plus);
    }
    return records(shares, batch.id(), held, topics);
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
    return records(shares(tenants, costMicros, tokens), id, held, topics);
  }

  /** The ref under which the ledger reserves and books what a tenant pays for a call. */
  static String ref(String call, String tenant) {
    return call + "/" + tenant;
  }

  private static Map<String, Share> shares(List<String> tenants, long micros, long tokens) {
    var shares = new TreeMap<String, Share>();
    int items = tenants.size();
    for (int i = 0; i < items; i++) {
      var share = new Share(Verdicts.share(micros, i, items), Verdicts.share(tokens, i, items));
      shares.merge(tenants.get(i), share, Share::plus);
    }
    return shares;
  }

  private static List<ProducerRecord<String, byte[]>> records(
      Map<String, Share> shares, String call, boolean held, Topics topics) {
    return shares.entrySet().stream()
        .filter(each -> held || each.getValue().costMicros() > 0 || each.getValue().tokens() > 0)
        .map(each -> {
          String tenant = each.getKey();
          Share share = each.getValue();
          String topic = topics.sessionLedger();
          var spend =
              new LedgerEntry.Spend(tenant, ref(call, tenant), share.costMicros(), share.tokens());
          return new ProducerRecord<>(
              topic,
              0,
              "-",
              RecordJson.bytes(spend),
              EventHeaders.schema(topics.spec(topic).schema()));
        })
        .toList();
  }
}
