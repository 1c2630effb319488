package dev.flyball.tracker.redmine;

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

/**
 * What is read of an issue of Redmine's list, which does not name who changed it last. Pure.
 *
 * @param id 0 if it has none
 * @param updatedOn its last change of any kind, in whole seconds
 */
@JsonNaming(SnakeCaseStrategy.class)
record RedmineIssue(
    long id,
    String subject,
    String description,
    @Nullable Named tracker,
    @Nullable Named status,
    @Nullable Named priority,
    @Nullable Named category,
    @Nullable Named assignedTo,
    String updatedOn) {

  /**
   * An entry of one of Redmine's lists, or a person.
   *
   * @param isClosed of a status: whether it means that no work is wanted; an old Redmine does not
   *     say
   */
  @JsonNaming(SnakeCaseStrategy.class)
  record Named(long id, String name, @Nullable Boolean isClosed) {}

  /** Reads an issue. */
  static ChangedEntry read(
      JsonNode json,
      SourceConfig.Redmine source,
      RedmineLists lists,
      RequestPermission permission) {
    RedmineIssue issue = TrackerJson.read(json, RedmineIssue.class);
    String id = issue.id > 0 ? Long.toString(issue.id) : "";
    Instant changedAt = RawItem.time(issue.updatedOn, Instant.EPOCH);
    return ChangedEntry.of(
        id,
        changedAt,
        json,
        () ->
            issue
                .item(new ItemKey(source.tenant(), source.name(), id))
                .state(name(issue.status), lists.closed(issue.status, permission))
                .priority(lists.priority(issue.priority, permission))
                .url(RedmineSource.base(source) + "/issues/" + id)
                .changed(changedAt)
                .build());
  }

  private RawItem.Builder item(ItemKey key) {
    return RawItem.of(key, subject)
        .description(description, Markup.TEXTILE)
        .type(name(tracker))
        .tags(List.of(name(category)))
        .assignees(
            assignedTo == null
                ? List.of()
                : List.of(
                    assignedTo.id() == 0 ? "" : Long.toString(assignedTo.id()), assignedTo.name()));
  }

  private static String name(@Nullable Named entry) {
    return entry == null ? "" : entry.name();
  }
}
