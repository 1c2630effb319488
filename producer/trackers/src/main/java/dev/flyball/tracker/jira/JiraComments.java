package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Comments of Jira's issues, in Atlassian Document Format.
 *
 * <p>Source: developer.atlassian.com, Jira Cloud REST API v3, issue comments.
 */
public final class JiraComments implements Comments {
  private static final int PAGE = 100;
  private static final String MYSELF = "/rest/api/3/myself";

  private final TrackerHttp http;
  private final Account account;

  /** Sends no request yet. */
  public static JiraComments of(SourceConfig.Jira config, InstantSource clock) {
    return new JiraComments(JiraAccess.http(config, clock, new TrackerLimits()));
  }

  /** With another way to send requests. */
  public JiraComments(TrackerHttp http) {
    this.http = http;
    this.account = new Account(http, MYSELF, user -> user.path("accountId"));
  }

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    int total = 1;
    while (all.size() < total) {
      JsonNode page =
          http.get(
                  path(item) + "?maxResults=" + PAGE + "&startAt=" + all.size(),
                  Map.of(),
                  Set.of(),
                  permission)
              .json();
      if (!page.path("comments").isArray() || !page.path("total").isInt()) {
        throw new SourceFailure(
            Category.MALFORMED, "Jira told no comments of " + item + "; try again later");
      }
      total = page.path("total").asInt();
      if (page.path("comments").isEmpty() && all.size() < total) {
        throw new SourceFailure(
            Category.MALFORMED, "comments of " + item + " end before their total; try again");
      }
      page.path("comments").forEach(one -> all.add(comment(one)));
    }
    return all;
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(MYSELF, Map.of(), Set.of(), permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    account.wrote(author(http.send("POST", path(item), json(body), Set.of(), permission).json()));
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PUT", path(item) + "/" + comment, json(body), Set.of(), permission);
  }

  private static String path(String item) {
    return "/rest/api/3/issue/" + item + "/comment";
  }

  /**
   * Reads a comment. Ours are three blocks, each of one text: other comments need not be read
   * faithfully.
   */
  private static Comment comment(JsonNode one) {
    var text = new StringBuilder();
    for (JsonNode block : one.path("body").path("content")) {
      block.path("content").forEach(part -> text.append(part.path("text").asText()));
      text.append('\n');
    }
    return new Comment(one.path("id").asText(), author(one).asText(), text.toString());
  }

  private static JsonNode author(JsonNode comment) {
    return comment.path("author").path("accountId");
  }

  private static JsonNode json(CommentBody body) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    ObjectNode root = document.putObject("body").put("type", "doc").put("version", 1);
    ArrayNode blocks = root.putArray("content");
    text(blocks.addObject().put("type", "paragraph"), body.heading());
    text(blocks.addObject().put("type", "codeBlock"), body.answer());
    text(blocks.addObject().put("type", "paragraph"), body.marker());
    return document;
  }

  private static void text(ObjectNode block, String text) {
    ArrayNode content = block.putArray("content");
    if (!text.isEmpty()) {
      content.addObject().put("type", "text").put("text", text);
    }
  }
}
