package dev.flyball.triage.item;

import dev.flyball.contract.item.ItemKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

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
    String text = key + "\n" + topic + "\n" + partition + "\n" + offset + "\n" + timestampMs;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
