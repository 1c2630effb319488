package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.triage.classify.Classifier.Question;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Reads the records of triage-requests, and refuses what no verdict could repeat. */
final class QuestionRecord {
  /**
   * Longest id and trace that a verdict repeats, in characters; those that Flyball writes are
   * shorter. A verdict that the broker rejects would stop every question behind it.
   */
  private static final int MOST_WORD = 128;

  /**
   * Longest key that is answered, in characters; item keys that Flyball writes have a tenth of it.
   */
  private static final int MOST_KEY = 4096;

  private QuestionRecord() {}

  /**
   * Reads a question.
   *
   * @throws RuntimeException if it cannot be read; the message says why
   */
  static BatchCalls.Asked read(ConsumerRecord<String, byte[]> record) {
    if (record.key() == null || record.value() == null) {
      throw new UnreadableRecord("the key or the value is missing");
    }
    TriageRequest request = RecordJson.read(record.value(), TriageRequest.class);
    if (request.triage() == null || request.snapshot() == null) {
      throw new UnreadableRecord("property triage or snapshot is missing");
    }
    if (request.triage().length() > MOST_WORD) {
      throw new UnreadableRecord("property triage is longer than " + MOST_WORD + " characters");
    }
    ItemKey item = ItemKey.parse(record.key());
    String trace = EventHeaders.text(record.headers(), "traceparent");
    return new BatchCalls.Asked(
        record.offset(),
        trace == null || trace.length() > MOST_WORD ? null : trace,
        new Question(request.triage(), item, request.snapshot()));
  }

  /**
   * The item of a question's key, to which a record without a verdict can be sent. The item then
   * asks again or, with a reason in the record's header, waits on.
   */
  static Optional<ItemKey> item(@Nullable String key) {
    try {
      return key == null || key.length() > MOST_KEY
          ? Optional.empty()
          : Optional.of(ItemKey.parse(key));
    } catch (IllegalArgumentException noItem) {
      return Optional.empty();
    }
  }
}
