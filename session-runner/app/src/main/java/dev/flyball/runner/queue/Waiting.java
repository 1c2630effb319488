package dev.flyball.runner.queue;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A waiting request as the index keeps it: its order, and what a claim needs of it. Its text stays
 * in the topic until its session starts, so 100,000 of them take less than 40 MB.
 *
 * @param key its item's key as text
 * @param at its record in session-requests
 * @param request the request's id
 * @param turn its place among those of its tenant, see {@link SessionRequest#turn}
 * @param provider scope of rate limits, null if none
 * @param profile the agent that it asks for
 * @param polledBy the source that read the item; null if that is its own
 * @param home the runner that stores the agent's session to go on with; null for a fresh session
 * @param publishedMs append time of its record, epoch milliseconds
 */
public record Waiting(
    String key,
    Position at,
    String request,
    int attempt,
    long turn,
    @Nullable String provider,
    String profile,
    @Nullable String polledBy,
    @Nullable String home,
    long publishedMs)
    implements Comparable<Waiting> {
  private static final Comparator<Waiting> ORDER =
      Comparator.comparingLong(Waiting::turn).thenComparing(Waiting::key);

  /** Returns what is kept of a request's record that was read. */
  public static Waiting of(String key, Position at, SessionRequest request, long publishedMs) {
    return new Waiting(
        key,
        at,
        request.request(),
        request.attempt(),
        SessionRequest.turn(request.priority(), request.since()),
        shared(request.route().provider()),
        request.route().profile().intern(),
        shared(request.snapshot().polledBy()),
        request.resume() == null ? null : shared(request.resume().home()),
        publishedMs);
  }

  /** The request's item. */
  public ItemKey item() {
    return ItemKey.parse(key);
  }

  /** {@code tenant/source} of the item; the item's id may have slashes. */
  public String source() {
    return key.substring(0, key.indexOf('/', key.indexOf('/') + 1));
  }

  String tenant() {
    return key.substring(0, key.indexOf('/'));
  }

  /** Orders by turn, then by key, so that the order is total. */
  @Override
  public int compareTo(Waiting other) {
    return ORDER.compare(this, other);
  }

  /** One copy of a name that thousands of requests have in common. */
  private static @Nullable String shared(@Nullable String name) {
    return name == null ? null : name.intern();
  }
}
