package dev.flyball.runner.execution;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry.Usage;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.End;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One session: its lease, its request, and the part that other threads hold. The ledger's thread,
 * the watchdog and the thread that shuts down report events to it. It exists from the effective
 * claim on, so that a session can be ended before it has started. No method waits, except {@link
 * #readRequest}.
 */
public final class Session {
  private final Lease lease;
  private final Token token;
  private final Waiting waiting;
  private final Body body;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final CompletableFuture<Void> reported = new CompletableFuture<>();

  /** Whether its release was handed over; a second release would report another end. */
  private final AtomicBoolean released = new AtomicBoolean();

  // Written by the ledger's thread (the fence), the watchdog (fenced) and the thread that moves
  // deadmen (delivered); read by the session's thread.
  private volatile Fence fence;
  private volatile long delivered;
  private volatile boolean fenced;
  // Written by each thread that ends the session immediately, read by health.
  private volatile boolean condemned;
  // Written by the thread that starts the agent, read by the session's.
  private volatile @Nullable SessionRequest request;
  // Written by the session's thread, read by the ledger's.
  private volatile Usage usage;

  /**
   * Causes that arrived before the agent was started; guarded by this. The first one stays, but the
   * kill for a later fence skips the ladder's waits.
   */
  private final List<End> early = new ArrayList<>();

  private @Nullable LiveSession live;

  /** Reads the session's request. */
  public interface Body {
    /**
     * Waits for the broker.
     *
     * @return empty if the request was replaced or deleted
     * @throws IOException if it cannot be read
     */
    Optional<SessionRequest> read() throws IOException;
  }

  /**
   * Creates a session whose claim has just taken effect.
   *
   * @param token the session's fencing token
   * @param waiting its request, as it waited
   * @param fence how long the session may live by its claim
   */
  public Session(Lease lease, Token token, Waiting waiting, Body body, Fence fence) {
    this.lease = lease;
    this.token = token;
    this.waiting = waiting;
    this.body = body;
    this.fence = fence;
    this.delivered = fence.deadmanAt();
    this.usage = new Usage(lease.session(), 0, 0);
  }

  /** Its id: random, claimed once. */
  public String id() {
    return lease.session();
  }

  /** The work item that it runs for. */
  public ItemKey item() {
    return lease.item();
  }

  /** Its lease, as its claim took effect. */
  public Lease lease() {
    return lease;
  }

  /** Its fencing token. */
  public Token token() {
    return token;
  }

  /** The source that read its item, {@code tenant/source}; null if that is the item's own. */
  public @Nullable String polledBy() {
    return waiting.polledBy();
  }

  /** The name of the agent's profile that its request asks for. */
  public String profile() {
    return waiting.profile();
  }

  /**
   * Reads its request; false if that was replaced or deleted.
   *
   * @throws IOException if it cannot be read
   */
  boolean readRequest() throws IOException {
    request = body.read().orElse(null);
    return request != null;
  }

  /** Its request, which was read before its agent starts. */
  SessionRequest request() {
    return Objects.requireNonNull(request);
  }

  long publishedMs() {
    return waiting.publishedMs();
  }

  /** An event about it, with the fields that all of its events carry. */
  LifecycleEvent event(EventType type, EventData data, Instant at) {
    // The id of the result is fixed, so that a repeated send is recognised as the same.
    String id = type == EventType.SESSION_RESULT ? id() + "-result" : UUID.randomUUID().toString();
    SessionRequest read = request;
    EventData common =
        EventData.EMPTY
            .with(Field.SESSION, id())
            .with(Field.TOKEN, token.toString())
            .with(Field.REQUEST, waiting.request())
            .with(Field.ITEM, item().toString())
            .with(Field.TENANT, item().tenant())
            .with(Field.REVISION, read == null ? null : read.snapshot().revision())
            .with(Field.RUNNER, lease.runner())
            .with(Field.ATTEMPT, waiting.attempt());
    return new LifecycleEvent(
        id, type, "/runner/" + lease.runner(), item().toString(), at, common.withAll(data));
  }

  /** Ends the session, immediately for a fence. The first cause stays. */
  public void stop(End cause) {
    LiveSession running;
    if (cause.atOnce()) {
      // Never set back: a gentle end may come at the same time from another thread.
      condemned = true;
    }
    synchronized (this) {
      running = live;
      if (running == null && (early.isEmpty() || cause.atOnce())) {
        early.add(cause);
      }
    }
    if (running != null) {
      running.stop(cause);
    }
  }

  /** Sets the fence that the newest effective renewal has moved. */
  public void extend(Fence moved) {
    fence = moved;
  }

  /**
   * When the newest renewal (or the claim) that took effect was sent, in elapsed nanoseconds; empty
   * once the session has to die.
   */
  public OptionalLong confirmedAt() {
    return condemned || released.get()
        ? OptionalLong.empty()
        : OptionalLong.of(fence.confirmedAt());
  }

  /** Called by the watchdog: ends the session at its fence. Waits for nothing. */
  public void guard(long nowNanos) {
    if (nowNanos >= fence.fenceAt() && !fenced) {
      stop(End.FENCED);
      // Set afterwards, so that the next check repeats a kill that could not even begin.
      fenced = true;
    }
  }

  /** Whether a renewal has taken effect that its deadman has not received. */
  public boolean deadmanBehind() {
    return delivered != fence.deadmanAt() && live().isPresent();
  }

  /**
   * Moves the deadman's deadline after a renewal that took effect. This may wait for a disk, so
   * never call it on the watchdog's thread.
   *
   * @param sinceBoot time since boot, read before {@code nowNanos}: after a freeze between the two
   *     the deadline is too early, never too late
   */
  public void moveDeadman(Duration sinceBoot, long nowNanos) {
    Fence now = fence;
    long at = now.deadmanAt();
    Optional<LiveSession> running = live();
    if (running.isEmpty() || delivered == at || nowNanos >= now.fenceAt()) {
      return;
    }
    if (running.get().extendTo(sinceBoot.plusNanos(at - nowNanos))) {
      delivered = at;
    }
  }

  /** The usage so far. */
  public Usage usage() {
    return usage;
  }

  /** Records that the ledger shows the session's end. */
  public void closed() {
    closed.complete(null);
  }

  /** Completes when the ledger shows the session's end. */
  public CompletableFuture<Void> whenClosed() {
    return closed;
  }

  /** Completes when nothing of the session lives and its release was handed to the ledger. */
  public CompletableFuture<Void> whenReported() {
    return reported;
  }

  /** The session's process, while it has one. */
  public synchronized Optional<LiveSession> live() {
    return Optional.ofNullable(live);
  }

  /** Whether the caller is the first to hand over the release; then no other thread may. */
  boolean releasing() {
    return released.compareAndSet(false, true);
  }

  void reported() {
    reported.complete(null);
  }

  void used(long tokens, long costMicros) {
    usage = new Usage(id(), tokens, costMicros);
  }

  Fence fence() {
    return fence;
  }

  /** Why the session must not start or go on; empty if nothing has happened. */
  synchronized Optional<End> early() {
    return early.stream().findFirst();
  }

  /** Attaches the started process, and passes on the causes to end that arrived before. */
  void attach(LiveSession started) {
    List<End> missed;
    synchronized (this) {
      live = started;
      missed = List.copyOf(early);
    }
    missed.forEach(started::stop);
  }
}
