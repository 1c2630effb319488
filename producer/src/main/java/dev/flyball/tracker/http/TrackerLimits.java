package dev.flyball.tracker.http;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the sources of one process share towards a tracker: those of one host and one credential
 * have few requests open at a time, and where one of them is asked to pause, the others send no
 * request either. A tracker counts all of them against one account. Any thread.
 */
public final class TrackerLimits {
  /** Requests that are open at a time for one host and credential. */
  static final int MOST_OPEN = 4;

  /** A longer pause is a failure of the poll, which is tried again after it. */
  public static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final Map<Account, Requests> accounts = new HashMap<>();

  private record Account(String origin, Map<String, String> login) {}

  /** The requests of one account; guarded by the monitor of the limits. */
  private static final class Requests {
    private int open;
    private int waiting;
    private Object paused = this;
    private long pausedUntil = System.nanoTime();

    /** How long this source must wait. The one that was asked to pause decides itself. */
    long nanosLeft(Object source) {
      return source.equals(paused) ? 0 : pausedUntil - System.nanoTime();
    }

    boolean unused() {
      return open == 0 && waiting == 0 && pausedUntil - System.nanoTime() <= 0;
    }
  }

  final class Permit implements AutoCloseable {
    private final Requests requests;
    private final Object source;

    private Permit(Requests requests, Object source) {
      this.requests = requests;
      this.source = source;
    }

    /** The answer asks for a pause, zero for none. */
    void pause(Duration pause) {
      synchronized (TrackerLimits.this) {
        long until = System.nanoTime() + pause.toNanos();
        if (pause.isPositive() && until - requests.pausedUntil > 0) {
          requests.pausedUntil = until;
          requests.paused = source;
        }
      }
    }

    @Override
    public void close() {
      synchronized (TrackerLimits.this) {
        requests.open--;
        TrackerLimits.this.notifyAll();
      }
    }
  }

  /**
   * Waits until a request may be open.
   *
   * @param base the tracker's root
   * @param login the headers with the credential
   * @param source whose request it is; only its own pauses do not hold it up
   * @param permission checked every second while waiting, so that a stop does not wait
   * @throws SourceFailure if another source with the same credential was asked for a long pause
   */
  synchronized Permit permit(
      URI base, Map<String, String> login, Object source, RequestPermission permission) {
    accounts.values().removeIf(Requests::unused);
    String origin = base.getScheme() + "://" + base.getRawAuthority();
    Requests requests =
        accounts.computeIfAbsent(new Account(origin, Map.copyOf(login)), _ -> new Requests());
    requests.waiting++;
    try {
      await(requests, base, source, permission);
    } finally {
      requests.waiting--;
    }
    requests.open++;
    return new Permit(requests, source);
  }

  private void await(Requests requests, URI base, Object source, RequestPermission permission) {
    try {
      for (long left = requests.nanosLeft(source);
          left > 0 || requests.open >= MOST_OPEN;
          left = requests.nanosLeft(source)) {
        if (left > LONGEST_WAIT.toNanos()) {
          throw paused(base, Duration.ofNanos(left));
        }
        permission.check();
        long turn = TimeUnit.SECONDS.toNanos(1);
        TimeUnit.NANOSECONDS.timedWait(this, left > 0 ? Math.min(left, turn) : turn);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    }
  }

  private static SourceFailure paused(URI base, Duration left) {
    return new SourceFailure(
        new TrackerFailure(
            Category.RATE_LIMITED,
            base.getHost()
                + ": paused for "
                + left.toSeconds()
                + " s, because a request with the same credential was asked to wait; a separate"
                + " account has a separate limit",
            left),
        null);
  }
}
