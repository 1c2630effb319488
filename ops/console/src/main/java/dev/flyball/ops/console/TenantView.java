package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one viewer sees of the projection: only what belongs to tenants in which the viewer has a
 * role. What belongs to another tenant is not there, so that its existence is not revealed either.
 */
public final class TenantView {
  /** The order of {@link ConsoleView#items}. */
  private static final List<String> ORDER =
      List.of("running", "queued", "triaging", "new", "failed", "dead", "analyzed");

  private final ConsoleView view;
  private final Viewer viewer;
  private final boolean everything;

  /** The caller closes the view. */
  public TenantView(ConsoleView view, Viewer viewer) {
    this.view = view;
    this.viewer = viewer;
    this.everything = viewer.mayEverywhere(AccessRole.VIEWER);
  }

  /** Whether the viewer sees what belongs to this item. */
  public boolean sees(String key) {
    return everything || tenant(key).filter(this::seesTenant).isPresent();
  }

  /** See {@link ConsoleView#ps}. */
  public List<RunningSession> ps(Instant now, Duration limit) {
    return view.ps(now, limit).stream().filter(each -> sees(each.item())).toList();
  }

  /** See {@link ConsoleView#ended}. */
  public List<EndedSession> ended(int limit) {
    return view.ended(limit).stream().filter(each -> sees(each.item())).toList();
  }

  /** See {@link ConsoleView#items}. */
  public List<ItemRow> items(ItemFilter filter) {
    if (everything || filter.tenant() != null) {
      return filters(filter).flatMap(each -> view.items(each).stream()).toList();
    }
    return filters(filter)
        .flatMap(each -> view.items(each).stream())
        .sorted(
            Comparator.<ItemRow>comparingInt(row -> rank(row.state()))
                .thenComparingInt(ItemRow::priority)
                .thenComparing(ItemRow::key))
        .limit(filter.limit())
        .toList();
  }

  /** See {@link ConsoleView#count}. */
  public long count(ItemFilter filter) {
    return filters(filter).mapToLong(view::count).sum();
  }

  /** See {@link ConsoleView#keysOf}. */
  public List<String> keysOf(String id) {
    return view.keysOf(id).stream().filter(this::sees).toList();
  }

  /** See {@link ConsoleView#item}. */
  public Optional<ItemStory> item(String key) {
    return sees(key) ? view.item(key) : Optional.empty();
  }

  /** See {@link ConsoleView#why}. */
  public Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return sees(key) ? view.why(key, now, reserves) : Optional.empty();
  }

  /** See {@link ConsoleView#analysis}. */
  public Optional<Analysis> analysis(String key) {
    return sees(key) ? view.analysis(key) : Optional.empty();
  }

  /**
   * The overall figures. A viewer of some tenants gets only those that are counted by tenant: live
   * sessions and items by state. The cap and the runners belong to no tenant.
   */
  public Summary summary() {
    Summary all = view.summary();
    if (everything) {
      return all;
    }
    var items = new TreeMap<String, Long>();
    ItemFilter.STATES.forEach(state -> {
      long count = count(ItemFilter.ofState(state));
      if (count > 0) {
        items.put(state, count);
      }
    });
    long backlog =
        Stream.of("new", "triaging", "queued", "running", "failed")
            .mapToLong(state -> items.getOrDefault(state, 0L))
            .sum();
    int live = ps(Instant.EPOCH, Duration.ZERO).size();
    return new Summary(
        live,
        all.cap(),
        items,
        backlog,
        null,
        Map.of(),
        0,
        0,
        List.of(),
        all.runners(),
        List.of(),
        all.asOf());
  }

  /** The same filter for each tenant that the viewer sees; none for a tenant that is not seen. */
  private Stream<ItemFilter> filters(ItemFilter filter) {
    String asked = filter.tenant();
    if (asked != null) {
      return seesTenant(asked) ? Stream.of(filter) : Stream.empty();
    }
    return everything
        ? Stream.of(filter)
        : viewer.roles().keySet().stream()
            .filter(this::seesTenant)
            .sorted()
            .map(each -> new ItemFilter(filter.state(), each, filter.text(), filter.limit()));
  }

  private boolean seesTenant(String tenant) {
    return viewer.may(tenant, AccessRole.VIEWER);
  }

  private static Optional<String> tenant(String key) {
    try {
      return Optional.of(ItemKey.parse(key).tenant());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static int rank(String state) {
    int rank = ORDER.indexOf(state);
    return rank < 0 ? ORDER.size() : rank;
  }
}
