package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a batch cost, as the ledger books it to each tenant's budget and to everyone's. The refs
 * follow from the batch's id, so a batch that is published again after a crash is booked once.
 */
final class BatchSpend {
  private BatchSpend() {}

  /** One ledger record for each tenant with a share in the cost. */
  static List<ProducerRecord<String, byte[]>> records(CallJournal.Answered batch, Topics topics) {
    var shares = new TreeMap<String, Long>();
    for (CallJournal.Entry entry : batch.entries()) {
      String tenant = ItemKey.parse(entry.key()).tenant();
      shares.merge(tenant, entry.verdict().costMicros(), Long::sum);
    }
    shares.values().removeIf(micros -> micros == 0);
    String topic = topics.sessionLedger();
    return shares.entrySet().stream()
        .map(share -> {
          var spend =
              new LedgerEntry.Spend(
                  share.getKey(), batch.id() + "/" + share.getKey(), share.getValue(), 0);
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
