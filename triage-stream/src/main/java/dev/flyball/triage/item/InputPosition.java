package dev.flyball.triage.item;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.text.Sha256;
import java.time.Instant;

/**
 * The position of an input. Every id that a decision makes is derived from it. A decision that is
 * repeated after an aborted transaction makes the same ids, so nothing that other apps already saw
 * is applied twice.
 *
 * @param topic the input's topic, or {@link #DUE}
 * @param timestampMs the record's timestamp; keeps ids distinct where a topic was recreated and
 *     offsets repeat
 */
public record InputPosition(String topic, int partition, long offset, long timestampMs) {
  /** The topic of inputs that come from a due time. */
  public static final String DUE = "due";

  /** The origin of the input that comes from this due time. */
  public static InputPosition due(Instant due) {
    return new InputPosition(DUE, 0, due.toEpochMilli(), due.toEpochMilli());
  }

  /** 16 hexadecimal digits, unique to this input and item. */
  public String id(ItemKey key) {
    return Sha256.hex(
        key + "\n" + topic + "\n" + partition + "\n" + offset + "\n" + timestampMs, 8);
  }
}
