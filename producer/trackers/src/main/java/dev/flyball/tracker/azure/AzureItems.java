package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The items of one poll while its answers come in. */
final class AzureItems {
  private final String tenant;
  private final String source;
  private final List<RawItem> items = new ArrayList<>();
  private final List<PollResult.Unread> unread = new ArrayList<>();
  private final Set<Long> present = new HashSet<>();
  private int records;
  private @Nullable Instant newest;

  AzureItems(String tenant, String source) {
    this.tenant = tenant;
    this.source = source;
  }

  /**
   * Adds one answer's items. One that cannot be read is reported alone; one seen before counts
   * once.
   *
   * @param page where people see an item
   */
  void add(List<JsonNode> answer, Function<JsonNode, @Nullable String> page) {
    for (JsonNode json : answer) {
      records++;
      boolean again = !present.add(AzureItem.id(json));
      try {
        RawItem item = AzureItem.read(json, tenant, source, page.apply(json), records);
        if (!again) {
          items.add(item);
          Instant changed = item.changedAt();
          newest = later(newest, changed);
        }
      } catch (IllegalArgumentException e) {
        unread.add(AzureItem.unread(json, source, records, String.valueOf(e.getMessage())));
      }
    }
  }

  private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    return one == null || (other != null && other.isAfter(one)) ? other : one;
  }

  /** Whether an answer contained this id, readable or not. */
  boolean has(long id) {
    return present.contains(id);
  }

  List<RawItem> all() {
    return items;
  }

  /** The newest change, null if there is none. */
  @Nullable Instant newest() {
    return newest;
  }

  PollResult.Read read(String cursor, int requests, Duration retryAfter) {
    return new PollResult.Read(items, unread, records, cursor, requests, retryAfter);
  }
}
