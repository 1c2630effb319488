package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
 * Comments of a repository's issues. All comments of an issue are read: ours may be far up in a
 * long discussion.
 *
 * <p>Source: docs.github.com, REST API endpoints for issue comments.
 */
public final class GitHubComments implements Comments {
  private static final int PAGE = 100;

  /** The limit for a discussion of 10,000 comments, or a server that ignores page numbers. */
  private static final int MOST_PAGES = 100;

  private final String repository;
  private final TrackerHttp http;
  private final Account account;

  /** Sends no request yet. */
  public static GitHubComments of(SourceConfig.GitHub config, InstantSource clock) {
    return new GitHubComments(
        config.repository(), GitHubAccess.http(config, clock, new TrackerLimits()));
  }

  /**
   * Sends no request yet.
   *
   * @param repository {@code owner/name}
   */
  public GitHubComments(String repository, TrackerHttp http) {
    this.repository = repository;
    this.http = http;
    this.account = new Account(http, "/user", user -> user.path("id"));
  }

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    String path = issues() + "/" + item + "/comments?per_page=" + PAGE;
    var all = new ArrayList<Comment>();
    JsonNode page = http.get(path, Map.of(), Set.of(), permission).json();
    for (int number = 2; list(page).size() > 0; number++) {
      page.forEach(one ->
          all.add(
              new Comment(
                  one.path("id").asText(), author(one).asText(), one.path("body").asText())));
      if (page.size() < PAGE) {
        break;
      }
      if (number > MOST_PAGES) {
        throw new SourceFailure(
            Category.MALFORMED, "comments of issue " + item + " have no end; nothing is written");
      }
      page = http.get(path + "&page=" + number, Map.of(), Set.of(), permission).json();
    }
    return all;
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    String name =
        http.get("/repos/" + repository, Map.of(), Set.of(), permission)
            .json()
            .path("full_name")
            .asText();
    if (!name.equalsIgnoreCase(repository)) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "repository " + repository + " is called " + name + " now; correct sources[].repository");
    }
  }

  /**
   * The list in an answer. Any other answer is an error: read as no comments, it would make a
   * repeat add another comment.
   */
  private static JsonNode list(JsonNode page) {
    if (!page.isArray()) {
      throw new SourceFailure(Category.MALFORMED, "GitHub's comments are no list; try again later");
    }
    return page;
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String path = issues() + "/" + item + "/comments";
    account.wrote(author(http.send("POST", path, json(body), Set.of(), permission).json()));
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PATCH", issues() + "/comments/" + comment, json(body), Set.of(), permission);
  }

  private static JsonNode author(JsonNode comment) {
    return comment.path("user").path("id");
  }

  private String issues() {
    return "/repos/" + repository + "/issues";
  }

  private static JsonNode json(CommentBody body) {
    return JsonNodeFactory.instance.objectNode().put("body", body.markdown());
  }
}
