package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.SourceFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * One page of an issue list.
 *
 * @param issues those with the requested ids, and records without an id
 * @param lastId the highest id
 * @param more whether there are issues with higher ids
 */
record RedminePage(List<JsonNode> issues, long lastId, boolean more) {
  RedminePage {
    issues = List.copyOf(issues);
  }

  /**
   * Reads an answer.
   *
   * @param fromId the least id that was requested
   * @throws SourceFailure if the answer is not a page, or if pages would repeat for ever
   */
  static RedminePage of(JsonNode answer, long fromId) {
    JsonNode list = answer.path("issues");
    JsonNode total = answer.path("total_count");
    if (!list.isArray() || !total.canConvertToInt()) {
      throw malformed("without a list of issues; is this Redmine's own address?");
    }
    var issues = new ArrayList<JsonNode>();
    long last = fromId - 1;
    for (JsonNode issue : list) {
      long id = issue.path("id").asLong();
      if (id >= fromId || id == 0) {
        issues.add(issue);
        last = Math.max(last, id);
      }
    }
    boolean more = !list.isEmpty() && total.asInt() > list.size();
    if (more && last < fromId) {
      throw malformed(
          "without an issue from " + fromId + " on, which was asked for; is this Redmine too old?");
    }
    return new RedminePage(issues, last, more);
  }

  private static SourceFailure malformed(String what) {
    return new SourceFailure(Category.MALFORMED, "redmine: an answer to /issues.json " + what);
  }
}
