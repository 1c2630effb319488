package dev.flyball.producer;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the polls of a source must wait because too many items already wait for a session or run.
 * What changes meanwhile is found by a later poll, several changes of one item as one change; its
 * waiting items are still checked again. Any thread.
 *
 * <p>Nothing here tells an item that waits for its turn from one that cannot start: its tenant may
 * be paused or over budget, or no runner may have its agent. So a source waits only for its own
 * items. Above the limit each tenant has an equal share of it, and each source an equal share of
 * its tenant's; a source within its share never waits. Items of a source that is no longer
 * configured hold up no poll.
 */
final class Backlog {
  private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

  /** Least share of a tenant or source, unless the limit is lower. */
  private static final int LEAST_SHARE = 1_000;

  /** Polls go on below this part of the limits, so that they do not stop with every session. */
  private static final double GOES_ON = 0.9;

  private final int limit;
  private final Supplier<Map<String, Integer>> sizes;

  private Set<String> sources = Set.of();

  private final Set<String> full = new HashSet<>();

  /**
   * Creates an instance without sources.
   *
   * @param sizes how many items of each source wait or run, by its key
   */
  Backlog(int limit, Supplier<Map<String, Integer>> sizes) {
    this.limit = limit;
    this.sizes = sizes;
  }

  /** The keys of the sources among which the limit is shared from now on. */
  synchronized void share(Set<String> configured) {
    sources = Set.copyOf(configured);
    full.retainAll(sources);
  }

  /** Why a poll of this source must wait, one line; empty if it need not wait. */
  synchronized Optional<String> whyNot(String source) {
    Map<String, Integer> now;
    try {
      now = sizes.get();
    } catch (KafkaException e) {
      // The poll itself reports what is wrong with the broker.
      LOG.debug("backlog unknown", e);
      return Optional.empty();
    }
    String tenant = tenant(source);
    List<String> siblings = sources.stream().filter(it -> tenant(it).equals(tenant)).toList();
    int tenants = (int) sources.stream().map(Backlog::tenant).distinct().count();
    int share = share(limit, tenants);
    boolean waits =
        above(sum(now, sources), limit, source)
            && above(sum(now, siblings), share, source)
            && above(now.getOrDefault(source, 0), share(share, siblings.size()), source);
    if (!waits) {
      full.remove(source);
      return Optional.empty();
    }
    full.add(source);
    return Optional.of(
        sum(now, siblings)
            + " items of tenant "
            + tenant
            + " wait for sessions or run, poll.backlog is "
            + limit
            + (tenants > 1 ? ", and its share of it " + share : "")
            + "; polls go on below 90 %");
  }

  private boolean above(long items, int most, String source) {
    return full.contains(source) ? items >= most * GOES_ON : items > most;
  }

  private static int share(int of, int among) {
    return Math.min(of, Math.max(LEAST_SHARE, of / Math.max(1, among)));
  }

  private static long sum(Map<String, Integer> sizes, Collection<String> sources) {
    return sources.stream().mapToLong(each -> sizes.getOrDefault(each, 0)).sum();
  }

  private static String tenant(String source) {
    return source.substring(0, source.indexOf('/'));
  }
}
