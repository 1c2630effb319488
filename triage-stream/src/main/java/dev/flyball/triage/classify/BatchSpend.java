package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a batch cost, as the ledger books it to each tenant's budget and to everyone's. The refs of
 * an answered batch follow from its id, so a batch that is published again after a crash is booked
 * once.
 */
final class BatchSpend {
  private BatchSpend() {}

  /** What one tenant pays for; cost in micro-dollars. */
  private record Share(long costMicros, long tokens) {
    Share plus(Share other) {
      return new Share(costMicros + other.costMicros, tokens + other.tokens);
    }
  }

  /** One ledger record for each tenant with a share in the answer. */
  static List<ProducerRecord<String, byte[]>> records(CallJournal.Answered batch, Topics topics) {
    var shares = new TreeMap<String, Share>();
    for (CallJournal.Entry entry : batch.entries()) {
      Long tokens = entry.tokens();
      var share = new Share(entry.verdict().costMicros(), tokens == null ? 0 : tokens);
      shares.merge(ItemKey.parse(entry.key()).tenant(), share, Share::plus);
    }
    return records(shares, batch.id(), topics);
  }

  /**
   * One ledger record for each tenant of a batch that got no answer, if that cost something. It is
   * sent once, and a crash before that loses it.
   */
  static List<ProducerRecord<String, byte[]>> failed(
      List<BatchCalls.Asked> batch, ModelFailure failure, Topics topics) {
    Long micros = failure.costMicros();
    var shares = new TreeMap<String, Share>();
    for (int i = 0; i < batch.size(); i++) {
      var share =
          new Share(
              micros == null ? 0 : CheckedAnswer.share(micros, i, batch.size()),
              CheckedAnswer.share(failure.tokens(), i, batch.size()));
      shares.merge(batch.get(i).question().item().tenant(), share, Share::plus);
    }
    return records(shares, "failed-" + UUID.randomUUID(), topics);
  }

  private static List<ProducerRecord<String, byte[]>> records(
      Map<String, Share> shares, String ref, Topics topics) {
    String topic = topics.sessionLedger();
    return shares.entrySet().stream()
        .filter(each -> each.getValue().costMicros() > 0 || each.getValue().tokens() > 0)
        .map(each -> {
          String tenant = each.getKey();
          Share share = each.getValue();
          var spend =
              new LedgerEntry.Spend(tenant, ref + "/" + tenant, share.costMicros(), share.tokens());
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
