package dev.flyball.runner.queue;

import java.util.Arrays;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one source, one provider, one agent and one partition of session-requests, read
 * by one source, in order. A pause, cap, budget, rate limit or floor applies to a whole lane. So a
 * search checks the first request and skips the thousands behind it. A binary heap: 4 bytes a
 * request.
 */
final class Lane {
  private final RequestIndex.LaneName name;
  private final RequestIndex.Tenant tenant;
  private @Nullable Waiting[] heap = new Waiting[4];
  private int size;

  Lane(RequestIndex.Tenant tenant, RequestIndex.LaneName name) {
    this.tenant = tenant;
    this.name = name;
  }

  RequestIndex.Tenant tenant() {
    return tenant;
  }

  /** {@code tenant/source}. */
  String source() {
    return name.source();
  }

  @Nullable String provider() {
    return name.provider();
  }

  /** The agent that its requests ask for. */
  String profile() {
    return name.profile();
  }

  /** The source that read its items; null if it is theirs. */
  @Nullable String polledBy() {
    return name.polledBy();
  }

  int size() {
    return size;
  }

  int partition() {
    return name.partition();
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(Waiting waiting) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size + size / 2 + 1);
    }
    up(size++, waiting);
  }

  /** Removes a request; false if it does not wait in this lane. */
  boolean remove(Waiting waiting) {
    int at = waiting.place;
    if (at == Waiting.NOT_QUEUED) {
      return false;
    }
    waiting.place = Waiting.NOT_QUEUED;
    Waiting last = at(--size);
    heap[size] = null;
    if (at < size) {
      down(at, last);
      if (last.place == at) {
        up(at, last);
      }
    }
    return true;
  }

  /** The requests in order, one by one; the lane must not change meanwhile. */
  Cursor cursor() {
    return new Cursor();
  }

  private void up(int from, Waiting waiting) {
    int at = from;
    while (at > 0 && waiting.compareTo(at((at - 1) / 2)) < 0) {
      set(at, at((at - 1) / 2));
      at = (at - 1) / 2;
    }
    set(at, waiting);
  }

  private void down(int from, Waiting waiting) {
    int at = from;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && at(child + 1).compareTo(at(child)) < 0) {
        child++;
      }
      if (waiting.compareTo(at(child)) <= 0) {
        break;
      }
      set(at, at(child));
      at = child;
    }
    set(at, waiting);
  }

  private Waiting at(int place) {
    return Objects.requireNonNull(heap[place]);
  }

  private void set(int place, Waiting waiting) {
    heap[place] = waiting;
    waiting.place = place;
  }

  /**
   * Reads a heap in order without changing it: the next element is a child of one already returned.
   */
  final class Cursor {
    private Waiting now = at(0);
    private @Nullable PriorityQueue<Waiting> open;

    Waiting now() {
      return now;
    }

    /** Moves to the next request; false if there is none. */
    boolean advance() {
      if (open == null) {
        open = new PriorityQueue<>();
      }
      int child = 2 * now.place + 1;
      for (int i = child; i < Math.min(child + 2, size); i++) {
        open.add(at(i));
      }
      Waiting next = open.poll();
      if (next == null) {
        return false;
      }
      now = next;
      return true;
    }
  }
}
