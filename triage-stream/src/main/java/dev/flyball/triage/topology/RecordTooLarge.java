package dev.flyball.triage.topology;

import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A record would be larger than any broker accepts by default. If it were sent, it would end the
 * stream thread, and every thread that replaces it, at the same input.
 */
final class RecordTooLarge extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Largest record, in bytes; below Kafka's 1 MiB by what a batch adds. */
  static final int MOST = 1_000_000;

  private RecordTooLarge(String where, long size) {
    super("a record of " + size + " bytes for " + where + " is above the limit of " + MOST);
  }

  /** Rejects a record that no broker accepts. */
  static void check(
      String where, byte @Nullable [] key, byte @Nullable [] value, Iterable<Header> headers) {
    long size = length(key) + length(value);
    for (Header header : headers) {
      size += header.key().length() + length(header.value());
    }
    if (size > MOST) {
      throw new RecordTooLarge(where, size);
    }
  }

  private static long length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
