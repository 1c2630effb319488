package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.text.CleanText;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Comments of Azure DevOps' work items, in HTML.
 *
 * <p>Source: learn.microsoft.com, Work Item Tracking REST API 7.1, comments (a preview version).
 */
public final class AzureComments implements Comments {
  private static final String VERSION = "api-version=7.1-preview.4";
  private static final int PAGE = 200;

  /** The limit for a discussion of 20,000 comments, or a server that repeats its continuation. */
  private static final int MOST_PAGES = 100;

  private final TrackerHttp http;
  private final Account account;

  /** Sends no request yet. */
  public static AzureComments of(SourceConfig.AzureDevOps config, InstantSource clock) {
    URI project = URI.create(config.url().toString().replaceAll("/+$", ""));
    return new AzureComments(
        project,
        new TrackerHttp(
            project,
            () -> Tokens.read(config.token()).map(AzureLogin::header).orElse(Map.of()),
            clock));
  }

  /**
   * With another way to ask.
   *
   * @param project its address; our own identity is asked from the organisation above it
   * @param http with the project's address as its root
   */
  public AzureComments(URI project, TrackerHttp http) {
    this.http = http;
    String organisation = project.toString().replaceFirst("/[^/]+$", "");
    this.account =
        new Account(
            http,
            organisation + "/_apis/connectionData?connectOptions=none&api-version=7.1-preview",
            data -> data.path("authenticatedUser").path("id"));
  }

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    String first = path(item) + "?$top=" + PAGE + "&order=asc&" + VERSION;
    String next = first;
    for (int pages = 0; !next.isEmpty(); pages++) {
      JsonNode page = http.get(next, Map.of(), Set.of(), permission).json();
      if (!page.path("comments").isArray() || pages == MOST_PAGES) {
        throw new SourceFailure(
            Category.MALFORMED,
            "comments of work item " + item + " are no list, or have no end; nothing is written");
      }
      for (JsonNode one : page.path("comments")) {
        all.add(
            new Comment(
                one.path("id").asText(),
                author(one).asText(),
                CleanText.of(one.path("text").asText())));
      }
      String token = page.path("continuationToken").asText();
      next =
          token.isEmpty()
              ? ""
              : first + "&continuationToken=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    }
    return all;
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get("/_apis/wit/workitemtypes?api-version=7.1", Map.of(), Set.of(), permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String path = path(item) + "?" + VERSION;
    account.wrote(author(http.send("POST", path, json(body), Set.of(), permission).json()));
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send(
        "PATCH", path(item) + "/" + comment + "?" + VERSION, json(body), Set.of(), permission);
  }

  private static JsonNode author(JsonNode comment) {
    return comment.path("createdBy").path("id");
  }

  private static String path(String item) {
    return "/_apis/wit/workItems/" + item + "/comments";
  }

  private static JsonNode json(CommentBody body) {
    return JsonNodeFactory.instance.objectNode().put("text", body.html());
  }
}
