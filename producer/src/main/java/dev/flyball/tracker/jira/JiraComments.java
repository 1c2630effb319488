package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
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
import dev.flyball.tracker.jira.JiraSource.JiraLogin;
import dev.flyball.tracker.text.AdfText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
  public JiraComments(TrackerHttp http) {
    this.http = http;
    this.account = new Account(http, MYSELF, user -> user.path("accountId"));
  }

  /** What is read of a comment; a visibility restricts who may read it. */
  record Entry(
      String id,
      Person author,
      String created,
      JsonNode body,
      @Nullable JsonNode visibility,
      @Nullable Boolean jsdPublic) {
    Entry {
      author = author == null ? new Person("", "", "") : author;
      body = body == null ? MissingNode.getInstance() : body;
    }

    boolean isForEveryone() {
      return (visibility == null || visibility.isNull()) && !Boolean.FALSE.equals(jsdPublic);
    }

    /** The text of our comments, which are three blocks, each of one text. */
    String plain() {
      var text = new StringBuilder();
      for (JsonNode block : body.path("content")) {
        block.path("content").forEach(part -> text.append(part.path("text").asText()));
        text.append('\n');
      }
      return text.toString();
    }
  }

  record Person(String accountId, String displayName, String accountType) {}

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    int total = 1;
    while (all.size() < total) {
      String next = path(item) + "?maxResults=" + PAGE + "&startAt=" + all.size();
      TrackerResponse answer = http.get(next, permission);
      List<Entry> page = entries(answer, item);
      total = answer.json().path("total").asInt(-1);
      if (total < 0 || (page.isEmpty() && all.size() < total)) {
        throw new SourceFailure(
            Category.MALFORMED, "comments of " + item + " end before their total; try again");
      }
      page.forEach(one -> all.add(new Comment(one.id, one.author.accountId, one.plain())));
    }
    return all;
  }

  /**
   * The newest comments by people, the newest first. Those that not everyone may read who may read
   * the issue are left out: an analysis could repeat them to everyone.
   */
  List<HumanComment> latest(String item, RequestPermission permission) {
    String newest = path(item) + "?orderBy=-created&maxResults=" + PAGE;
    TrackerResponse answer = http.getBesidePoll(newest, permission);
    JiraLogin.check(answer);
    return HumanComment.latest(
        entries(answer, item).stream()
            .filter(one -> one.isForEveryone() && !one.author.accountType.equals("app"))
            .map(one ->
                HumanComment.of(
                    one.author.displayName, one.created, AdfText.of(RecordJson.write(one.body))))
            .toList());
  }

  private static List<Entry> entries(TrackerResponse answer, String item) {
    return answer.list(
        "/comments", Entry.class, "Jira returned no comments of " + item + "; try again later");
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(MYSELF, permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    JsonNode written = http.send("POST", path(item), json(body), permission).json();
    account.wrote(TrackerJson.read(written, Entry.class).author.accountId);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PUT", path(item) + "/" + comment, json(body), permission);
  }

  private static String path(String item) {
    return "/rest/api/3/issue/" + item + "/comment";
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
