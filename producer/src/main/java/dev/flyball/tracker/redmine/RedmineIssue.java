package dev.flyball.tracker.redmine;

import static dev.flyball.tracker.http.TrackerJson.number;
import static dev.flyball.tracker.http.TrackerJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An issue of Redmine's list, which does not name who changed it last. Pure. */
final class RedmineIssue {
  private RedmineIssue() {}

  /**
   * An entry of one of Redmine's lists.
   *
   * @param isClosed of a status: whether it means that no work is wanted; an old Redmine does not
   *     say
   */
  @JsonNaming(SnakeCaseStrategy.class)
  record Named(long id, @Nullable Boolean isClosed) {}

  static ChangedEntry read(
      JsonNode json,
      SourceConfig.Redmine source,
      RedmineLists lists,
      RequestPermission permission) {
    String id = number(json, "/id");
    // Its last change of any kind, in whole seconds.
    Instant changedAt = RawItem.time(text(json, "/updated_on"));
    return ChangedEntry.of(
        id,
        changedAt,
        json,
        () ->
            RawItem.of(new ItemKey(source.tenant(), source.name(), id), text(json, "/subject"))
                .description(text(json, "/description"), Markup.TEXTILE)
                .type(text(json, "/tracker/name"))
                .state(text(json, "/status/name"), lists.closed(named(json, "status"), permission))
                .priority(lists.priority(named(json, "priority"), permission))
                .tags(List.of(text(json, "/category/name")))
                .url(RedmineSource.base(source) + "/issues/" + id)
                .changed(changedAt)
                .assignees(
                    List.of(number(json, "/assigned_to/id"), text(json, "/assigned_to/name")))
                .build());
  }

  private static Named named(JsonNode json, String field) {
    return TrackerJson.read(json.path(field), Named.class);
  }
}
