package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.flyball.tracker.text.CleanText;
import dev.flyball.tracker.text.MarkdownText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Comments of Azure DevOps' work items, in HTML.
 *
 * <p>Source: learn.microsoft.com, Work Item Tracking REST API 7.1, comments (a preview version).
 */
public final class AzureComments implements Comments {
  private static final String VERSION = "api-version=7.1-preview.4";
  private static final int PAGE = 200;

  /** Read for an item's text: more than become part of it, as some may be of programs. */
  private static final int LATEST = 50;

  /** The beginning of a service account's descriptor; those of people begin otherwise. */
  private static final Pattern SERVICE = Pattern.compile("svc\\.|s2s\\.|aadsp\\.");

  /** The limit for a discussion of 20,000 comments, or a server that repeats its continuation. */
  private static final int MOST_PAGES = 100;

  private final TrackerHttp http;
  private final String project;
  private final Account account;

  /**
   * Sends no request yet.
   *
   * @param http with the organisation's address as its root
   * @param project its path below that, with a slash in front
   */
  public AzureComments(TrackerHttp http, String project) {
    this.http = http;
    this.project = project;
    this.account =
        new Account(
            http,
            "/_apis/connectionData?connectOptions=none&api-version=7.1-preview",
            data -> data.path("authenticatedUser").path("id"));
  }

  /** What is read of a comment. */
  record Entry(String id, Person createdBy, String createdDate, String text, String format) {
    Entry {
      createdBy = createdBy == null ? new Person("", "", "") : createdBy;
    }

    String clean() {
      return format.equalsIgnoreCase("markdown") ? MarkdownText.of(text) : CleanText.of(text);
    }
  }

  record Person(String id, String displayName, String descriptor) {}

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    String first = path(item) + "?$top=" + PAGE + "&order=asc&" + VERSION;
    String next = first;
    for (int pages = 0; pages < MOST_PAGES; pages++) {
      TrackerResponse page = http.get(next, permission);
      entries(page, item)
          .forEach(one -> all.add(new Comment(one.id, one.createdBy.id, CleanText.of(one.text))));
      String token = page.json().path("continuationToken").asText();
      if (token.isEmpty()) {
        return all;
      }
      next = first + "&continuationToken=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    }
    throw new SourceFailure(
        Category.MALFORMED, "comments of work item " + item + " have no end; nothing is written");
  }

  /** The newest comments by people, the newest first. */
  List<HumanComment> latest(String item, RequestPermission permission) {
    String newest = path(item) + "?$top=" + LATEST + "&order=desc&" + VERSION;
    return HumanComment.latest(
        entries(http.getBesidePoll(newest, permission), item).stream()
            .filter(one -> !SERVICE.matcher(one.createdBy.descriptor).lookingAt())
            .map(one -> HumanComment.of(one.createdBy.displayName, one.createdDate, one.clean()))
            .toList());
  }

  private static List<Entry> entries(TrackerResponse answer, String item) {
    return answer.list(
        "/comments",
        Entry.class,
        "comments of work item " + item + " are no list; try again later");
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(project + "/_apis/wit/workitemtypes?api-version=7.1", permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String path = path(item) + "?" + VERSION;
    JsonNode written = http.send("POST", path, json(body), permission).json();
    account.wrote(TrackerJson.read(written, Entry.class).createdBy.id);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PATCH", path(item) + "/" + comment + "?" + VERSION, json(body), permission);
  }

  private String path(String item) {
    return project + "/_apis/wit/workItems/" + item + "/comments";
  }

  private static Map<String, String> json(CommentBody body) {
    return Map.of("text", body.html());
  }
}
