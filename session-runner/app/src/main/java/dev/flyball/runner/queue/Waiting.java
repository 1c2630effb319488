package dev.flyball.runner.queue;

import dev.flyball.contract.item.ItemKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A waiting request as the index keeps it: the position of its body, and its order. A million of
 * them have to fit in a runner's heap. So the item's source and all that requests share is in the
 * lane, and the tracker's id is kept as bytes.
 */
public final class Waiting implements Comparable<Waiting> {
  /** Not queued in its lane: its session is running or has run. */
  static final int NOT_QUEUED = -1;

  final Lane lane;
  final byte[] id;
  private final long turn;
  private final long offset;

  /** Place in the lane's heap; written by the lane alone. */
  int place = NOT_QUEUED;

  Waiting(Lane lane, byte[] id, long turn, long offset) {
    this.lane = lane;
    this.id = id;
    this.turn = turn;
    this.offset = offset;
  }

  /** The request's item. */
  public ItemKey item() {
    return ItemKey.parse(key());
  }

  /** The item's key as text. */
  public String key() {
    return lane.source() + "/" + new String(id, StandardCharsets.UTF_8);
  }

  /** {@code tenant/source} of the item. */
  public String source() {
    return lane.source();
  }

  /** The source that read the item; null if that is its own. */
  public @Nullable String polledBy() {
    return lane.polledBy();
  }

  /** Partition of session-requests. */
  public int partition() {
    return lane.partition();
  }

  /** Offset in that partition. */
  public long offset() {
    return offset;
  }

  /** Scope of rate limits, null if none. */
  public @Nullable String provider() {
    return lane.provider();
  }

  /** The agent that it asks for. */
  public String profile() {
    return lane.profile();
  }

  /** Orders by turn, then by key, so that the order is total. */
  @Override
  public int compareTo(Waiting other) {
    int byTurn = Long.compare(turn, other.turn);
    if (byTurn != 0) {
      return byTurn;
    }
    int bySource = lane.source().compareTo(other.lane.source());
    return bySource != 0 ? bySource : Arrays.compareUnsigned(id, other.id);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Waiting waiting && compareTo(waiting) == 0 && offset == waiting.offset;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(offset) * 31 + Arrays.hashCode(id);
  }

  @Override
  public String toString() {
    return key() + "@" + partition() + ":" + offset;
  }
}
