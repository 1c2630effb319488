package dev.flyball.runner.request;

import dev.flyball.contract.item.ItemKey;

/**
 * A waiting request as the index keeps it: where its body is, and what orders it. A million of them
 * fit in 256 MB, so there is nothing here that the body has too.
 */
public final class Waiting implements Comparable<Waiting> {
  private final String key;
  private final long sinceMs;
  private final long offset;
  private final short partition;
  private final short priority;

  Waiting(String key, int partition, long offset, int priority, long sinceMs) {
    this.key = key;
    this.partition = (short) partition;
    this.offset = offset;
    this.priority = (short) Math.clamp(priority, 0, Short.MAX_VALUE);
    this.sinceMs = sinceMs;
  }

  /** The item that it is for. */
  public ItemKey item() {
    return ItemKey.parse(key);
  }

  /** Partition of session-requests. */
  public int partition() {
    return partition;
  }

  /** Offset in that partition. */
  public long offset() {
    return offset;
  }

  /** 1 is first. */
  public int priority() {
    return priority;
  }

  /** When the item began to wait, epoch milliseconds. */
  public long sinceMs() {
    return sinceMs;
  }

  String key() {
    return key;
  }

  /** Priority, then age, then the key, so that the order is total. */
  @Override
  public int compareTo(Waiting other) {
    int byPriority = Short.compare(priority, other.priority);
    if (byPriority != 0) {
      return byPriority;
    }
    int byAge = Long.compare(sinceMs, other.sinceMs);
    return byAge != 0 ? byAge : key.compareTo(other.key);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Waiting waiting && compareTo(waiting) == 0 && offset == waiting.offset;
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return key + "@" + partition + ":" + offset;
  }
}
