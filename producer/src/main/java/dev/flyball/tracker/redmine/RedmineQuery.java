package dev.flyball.tracker.redmine;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Requests to Redmine's issue list, as paths. */
final class RedmineQuery {
  /** The most issues of one page, whatever is requested. */
  static final int PAGE = 100;

  /**
   * Parameters that a configured query must not have. Some control the pages; the others make
   * Redmine silently ignore those ({@code query_id} lets a stored query replace every other
   * filter).
   */
  private static final Set<String> RESERVED =
      Set.of(
          "f f[] fields issue_id key limit nometa offset page query_id set_filter sort updated_on"
              .split(" "));

  private final Map<String, String> filters;

  /**
   * With these filters.
   *
   * @param project identifier of the one project, null for all
   * @param query parameters as in a URL, encoded or not
   * @throws IllegalArgumentException if it has a parameter that is not allowed, or not name=value
   */
  RedmineQuery(@Nullable String project, String query) {
    var all = new LinkedHashMap<String, String>();
    all.put("status_id", "*");
    if (project != null) {
      all.put("project_id", project);
    }
    for (String pair : query.strip().split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        String name = decoded(pair.substring(0, equals));
        if (RESERVED.contains(name)) {
          throw new IllegalArgumentException(
              "query parameter '"
                  + name
                  + "' is Flyball's own; name the filters themselves, for example tracker_id=1");
        }
        all.put(name, decoded(pair.substring(equals + 1)));
      } else if (!pair.isEmpty()) {
        throw new IllegalArgumentException("query '" + pair + "' is not name=value");
      }
    }
    this.filters = all;
  }

  /**
   * One page of what changed, oldest change first.
   *
   * <p>Redmine reads "at or after a time" as "later than one second before it", and some databases
   * store fractions of the second that it shows. Asking from one second later finds every change
   * that shows a later second, and none again that shows an earlier one.
   *
   * @param since null for everything
   * @param offset how many issues of this list are left out
   * @param size how many issues it holds at most
   */
  String page(@Nullable Instant since, int offset, int size) {
    var all = new LinkedHashMap<>(filters);
    if (since != null) {
      all.put("updated_on", ">=" + since.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1));
    }
    return path(all, "updated_on:asc,id:asc", size) + (offset == 0 ? "" : "&offset=" + offset);
  }

  /** Place and filters as text that never changes: cursors in poll-state were marked with it. */
  String mark() {
    return path(filters, "id:asc", PAGE);
  }

  /** The request for these issues, whether or not the filters match them. */
  static String byId(List<Long> ids) {
    var all = new LinkedHashMap<String, String>();
    all.put("status_id", "*");
    all.put("issue_id", ids.stream().map(String::valueOf).collect(Collectors.joining(",")));
    return path(all, "id:asc", PAGE);
  }

  private static String path(Map<String, String> parameters, String sort, int size) {
    return parameters.entrySet().stream()
        .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
        .collect(
            Collectors.joining("&", "/issues.json?", "&sort=" + encoded(sort) + "&limit=" + size));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
