package dev.flyball.tracker;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A work item as its tracker wrote it, before cleaning.
 *
 * @param title may be of any length
 * @param description HTML or text, of any length
 * @param revision {@code "0"} where the tracker has none
 * @param markup how the description is written
 * @param assigned whether the item is assigned to a person; true where the tracker does not say
 * @param closed whether the tracker itself says that no work is wanted, or no longer knows the
 *     item; false where only the state's name decides
 * @param at where it was read: a file's line counted from 1, a tracker's running number
 */
public record RawItem(
    ItemKey key,
    String title,
    String description,
    String type,
    String state,
    int priority,
    List<String> tags,
    @Nullable String url,
    String revision,
    @Nullable Instant changedAt,
    @Nullable String changedBy,
    Markup markup,
    boolean assigned,
    boolean closed,
    long at) {

  public RawItem {
    tags = List.copyOf(tags);
  }

  /**
   * Hash of everything the tracker returned, meaningful or not: equal digests mean an entirely
   * unchanged snapshot.
   */
  public String digest() {
    var fields = new TreeMap<String, String>();
    fields.put("title", title);
    fields.put("description", description);
    fields.put("type", type);
    fields.put("state", state);
    fields.put("priority", Integer.toString(priority));
    fields.put("tags", RecordJson.write(tags));
    fields.put("url", url == null ? "" : url);
    fields.put("revision", revision);
    fields.put("changedAt", changedAt == null ? "" : changedAt.toString());
    fields.put("changedBy", changedBy == null ? "" : changedBy);
    // Left out where a file's line does not name it: digests recorded earlier are without it.
    if (!assigned) {
      fields.put("assigned", "");
    }
    if (closed) {
      fields.put("closed", "");
    }
    return Fingerprint.of(fields).hash();
  }
}
