package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.text.MarkdownText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Comments of a repository's issues. All comments of an issue are read: ours may be far up in a
 * long discussion.
 *
 * <p>Source: docs.github.com, REST API endpoints for issue comments.
 */
public final class GitHubComments implements Comments {
  private static final int PAGE = 100;

  /** Fewer comments by people on the last page make the one before it worth a request. */
  private static final int LATEST = 20;

  /** The limit for a discussion of 10,000 comments, or a server that ignores page numbers. */
  private static final int MOST_PAGES = 100;

  private final String repository;
  private final TrackerHttp http;
  private final Account account;

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

  /** What is read of a comment. */
  @JsonNaming(SnakeCaseStrategy.class)
  record Entry(String id, User user, String body, String createdAt) {
    Entry {
      user = user == null ? new User("", "", "") : user;
    }
  }

  record User(String id, String login, String type) {}

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    for (int number = 1; number <= MOST_PAGES; number++) {
      List<Entry> page = entries(http.get(page(item, number), permission));
      page.forEach(one -> all.add(new Comment(one.id, one.user.id, one.body)));
      if (page.size() < PAGE) {
        return all;
      }
    }
    throw new SourceFailure(
        Category.MALFORMED, "comments of issue " + item + " have no end; nothing is written");
  }

  /**
   * The newest comments by people, the newest first. GitHub lists the oldest first, so the last
   * page is asked for, and the one before it if that is short.
   *
   * @param count how many comments the issue has, negative if that is not known
   */
  List<HumanComment> latest(String item, int count, RequestPermission permission) {
    int last = Math.clamp((count + PAGE - 1L) / PAGE, 1, MOST_PAGES);
    var latest = new ArrayList<HumanComment>();
    for (int number = last; number > 0 && (number == last || latest.size() < LATEST); number--) {
      entries(http.getBesidePoll(page(item, number), permission)).reversed().stream()
          .filter(one -> !one.user.type.equals("Bot"))
          .map(one -> HumanComment.of(one.user.login, one.createdAt, MarkdownText.of(one.body)))
          .forEach(latest::add);
    }
    return HumanComment.latest(latest);
  }

  private String page(String item, int number) {
    return issues() + "/" + item + "/comments?per_page=" + PAGE + "&page=" + number;
  }

  private static List<Entry> entries(TrackerResponse answer) {
    return answer.list("", Entry.class, "GitHub's comments are no list; try again later");
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    String name = http.get("/repos/" + repository, permission).json().path("full_name").asText();
    if (!name.equalsIgnoreCase(repository)) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "repository " + repository + " is called " + name + " now; correct sources[].repository");
    }
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String path = issues() + "/" + item + "/comments";
    JsonNode written = http.send("POST", path, json(body), permission).json();
    account.wrote(TrackerJson.read(written, Entry.class).user.id);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PATCH", issues() + "/comments/" + comment, json(body), permission);
  }

  private String issues() {
    return "/repos/" + repository + "/issues";
  }

  private static Map<String, String> json(CommentBody body) {
    return Map.of("body", body.markdown());
  }
}
