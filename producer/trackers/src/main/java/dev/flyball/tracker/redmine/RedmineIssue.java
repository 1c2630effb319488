package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads an issue of Redmine's list. The list does not name who changed it last. */
final class RedmineIssue {
  private final SourceConfig config;
  private final URI base;

  RedmineIssue(SourceConfig config, URI base) {
    this.config = config;
    this.base = base;
  }

  /**
   * Reads an issue as a work item.
   *
   * @param priority 1 is first
   * @param closed whether its status means that no work is wanted
   * @param at its running number
   */
  RawItem read(JsonNode issue, int priority, boolean closed, long at) {
    ItemKey key = key(issue);
    Optional<Instant> updated = updated(issue);
    String category = name(issue, "category");
    return new RawItem(
        key,
        text(issue, "subject"),
        text(issue, "description"),
        name(issue, "tracker"),
        name(issue, "status"),
        priority,
        category.isEmpty() ? List.of() : List.of(category),
        base + "/issues/" + key.id(),
        updated.map(Instant::toString).orElse("0"),
        updated.orElse(null),
        null,
        Markup.MARKDOWN,
        issue.path("assigned_to").has("id"),
        closed,
        at);
  }

  /** Its key; ids are numbers. */
  ItemKey key(JsonNode issue) {
    return new ItemKey(config.tenant(), config.name(), Long.toString(issue.path("id").asLong()));
  }

  /** When it was last changed, in whole seconds; empty if the record is not an issue. */
  static Optional<Instant> updated(JsonNode issue) {
    try {
      return issue.path("id").asLong() > 0
          ? Optional.of(Instant.parse(text(issue, "updated_on")))
          : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static String name(JsonNode issue, String field) {
    return text(issue.path(field), "name");
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asText("");
  }
}
