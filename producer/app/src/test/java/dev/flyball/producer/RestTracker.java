package dev.flyball.producer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.azure.ScriptedAzure;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The part of each REST tracker that a producer uses: what changed since a time, two items a page.
 */
enum RestTracker {
  AZURE_DEVOPS {
    @Override
    SourceConfig config(SourceConfig.Identity identity, URI url, Credential token) {
      String query = "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project";
      return new SourceConfig.AzureDevOps(
          identity, SourceRules.DEFAULT, URI.create(url + "/org/project"), query, token);
    }

    @Override
    FaultReply answer(FaultRequest request, List<Item> items, Instant now) {
      var azure = new ScriptedAzure();
      for (Item item : items) {
        azure.at(item.changed());
        IntStream.rangeClosed(1, item.revision())
            .forEach(revision -> azure.change(item.id(), item.title()));
      }
      return azure.at(now).answer(request);
    }

    @Override
    boolean isLast(FaultRequest request) {
      return request.path().endsWith("/workitemsbatch");
    }
  },
  GITHUB {
    @Override
    SourceConfig config(SourceConfig.Identity identity, URI url, Credential token) {
      return new SourceConfig.GitHub(identity, SourceRules.DEFAULT, url, "acme/web", token);
    }

    @Override
    FaultReply answer(FaultRequest request, List<Item> items, Instant now) {
      String since = request.query().getOrDefault("since", "1970-01-01T00:00:00Z");
      int page = Integer.parseInt(request.query().getOrDefault("page", "1"));
      List<Item> found = changedSince(Instant.parse(since), items);
      var headers = new HashMap<String, String>();
      if (found.size() > page * PAGE) {
        String next = request.target().replaceAll("&page=\\d+", "") + "&page=" + (page + 1);
        headers.put("Link", "<" + next + ">; rel=\"next\"");
      }
      return reply(now, headers, page(found, (page - 1) * PAGE, RestTracker::gitHubIssue));
    }

    @Override
    boolean isLast(FaultRequest request) {
      return request.query().containsKey("page");
    }
  },
  JIRA {
    @Override
    SourceConfig config(SourceConfig.Identity identity, URI url, Credential token) {
      return new SourceConfig.Jira(
          identity, SourceRules.DEFAULT, url, "project = ED", "me@acme.example", token);
    }

    @Override
    FaultReply answer(FaultRequest request, List<Item> items, Instant now) {
      if (request.path().endsWith("/comment")) {
        return reply(now, Map.of(), Map.of("comments", List.of(), "total", 0));
      }
      if (request.path().endsWith("/mypermissions")) {
        return reply(
            now,
            Map.of(),
            Map.of("permissions", Map.of("BROWSE_PROJECTS", Map.of("havePermission", true))));
      }
      JsonNode asked = RecordJson.parse(request.body());
      Matcher since = JIRA_SINCE.matcher(asked.path("jql").asText());
      long from = since.find() ? Long.parseLong(since.group(1)) : 0;
      List<Item> found = changedSince(Instant.ofEpochMilli(from), items);
      int start = asked.path("nextPageToken").asInt(0);
      var answer = new HashMap<String, Object>();
      answer.put("issues", page(found, start, RestTracker::jiraIssue));
      answer.put("isLast", start + PAGE >= found.size());
      if (start + PAGE < found.size()) {
        answer.put("nextPageToken", Integer.toString(start + PAGE));
      }
      return reply(now, Map.of(), answer);
    }

    @Override
    boolean isLast(FaultRequest request) {
      return request.body().contains("nextPageToken");
    }
  },
  REDMINE {
    @Override
    SourceConfig config(SourceConfig.Identity identity, URI url, Credential token) {
      return new SourceConfig.Redmine(identity, SourceRules.DEFAULT, url, null, "", token);
    }

    @Override
    FaultReply answer(FaultRequest request, List<Item> items, Instant now) {
      if (request.path().startsWith("/issues/")) {
        return reply(now, Map.of(), Map.of("issue", Map.of("journals", List.of())));
      }
      return switch (request.path()) {
        case "/issues.json" -> reply(now, Map.of(), redmineIssues(request.query(), items));
        case "/users/current.json" ->
            reply(now, Map.of(), Map.of("user", Map.of("id", 5, "login", "bot")));
        default ->
            reply(
                now,
                Map.of(),
                Map.of("issue_priorities", List.of(Map.of("id", 2, "name", "High"))));
      };
    }

    @Override
    boolean isLast(FaultRequest request) {
      return request.query().containsKey("offset");
    }
  };

  /**
   * What a tracker holds.
   *
   * @param revision counted from 1
   */
  record Item(int id, String title, int revision, Instant changed) {
    Item edited(Instant now) {
      return new Item(id, "Edited " + id, revision + 1, now);
    }
  }

  private static final int PAGE = 2;
  private static final Pattern JIRA_SINCE = Pattern.compile("updated >= (\\d+)");

  abstract SourceConfig config(SourceConfig.Identity identity, URI url, Credential token);

  /** Its answer when it works. */
  abstract FaultReply answer(FaultRequest request, List<Item> items, Instant now);

  /** Whether a request asks for the rest of what another request has begun to read. */
  abstract boolean isLast(FaultRequest request);

  private static List<Item> changedSince(Instant since, List<Item> items) {
    return items.stream()
        .filter(item -> !item.changed().isBefore(since))
        .sorted(Comparator.comparing(Item::changed).thenComparingInt(Item::id))
        .toList();
  }

  private static List<Object> page(List<Item> items, int from, Function<Item, Object> shape) {
    return items.stream().skip(from).limit(PAGE).map(shape).toList();
  }

  private static Object gitHubIssue(Item item) {
    return Map.of(
        "number",
        item.id(),
        "title",
        item.title(),
        "comments",
        0,
        "state",
        "open",
        "labels",
        List.of(),
        "assignees",
        List.of(),
        "updated_at",
        item.changed().toString());
  }

  private static Object jiraIssue(Item item) {
    Map<String, Object> fields =
        Map.of("summary", item.title(), "labels", List.of(), "updated", item.changed().toString());
    return Map.of("id", "1000" + item.id(), "key", "ED-" + item.id(), "fields", fields);
  }

  /** Redmine reads "at or after a time" as "later than one second before it". */
  private static Object redmineIssues(Map<String, String> query, List<Item> items) {
    String since = query.getOrDefault("updated_on", ">=1970-01-01T00:00:00Z").substring(2);
    int offset = Integer.parseInt(query.getOrDefault("offset", "0"));
    List<Item> found = changedSince(Instant.parse(since).minusMillis(999), items);
    return Map.of(
        "issues",
        page(found, offset, RestTracker::redmineIssue),
        "total_count",
        found.size(),
        "offset",
        offset,
        "limit",
        PAGE);
  }

  private static Object redmineIssue(Item item) {
    return Map.of(
        "id",
        item.id(),
        "tracker",
        Map.of("id", 1, "name", "Bug"),
        "status",
        Map.of("id", 1, "name", "New", "is_closed", false),
        "priority",
        Map.of("id", 2, "name", "High"),
        "subject",
        item.title(),
        "updated_on",
        item.changed().toString());
  }

  private static FaultReply reply(Instant now, Map<String, String> headers, Object json) {
    var all = new HashMap<>(headers);
    all.put("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atZone(ZoneOffset.UTC)));
    return FaultReply.json(200, all, RecordJson.write(json));
  }
}
