package dev.flyball.tracker.redmine;

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
 * Notes of Redmine's issues. Editing one needs Redmine 5.0 and the right to edit own notes.
 *
 * <p>Source: redmine.org, Rest_Issues and Rest_IssueJournals.
 */
public final class RedmineComments implements Comments {
  private static final String CURRENT = "/users/current.json";

  private final TrackerHttp http;
  private final Account account;

  /** Sends no request yet. */
  public static RedmineComments of(SourceConfig.Redmine config, InstantSource clock) {
    return new RedmineComments(RedmineSource.http(config, clock, new TrackerLimits()));
  }

  /** With another way to send requests. */
  public RedmineComments(TrackerHttp http) {
    this.http = http;
    this.account = new Account(http, CURRENT, answer -> answer.path("user").path("id"));
  }

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    JsonNode answer =
        http.get("/issues/" + item + ".json?include=journals", Map.of(), Set.of(), permission)
            .json();
    var notes = new ArrayList<Comment>();
    JsonNode journals = answer.path("issue").path("journals");
    if (!journals.isArray()) {
      // Any other answer would read as no notes, and a repeat would add another one.
      throw new SourceFailure(
          Category.MALFORMED, "Redmine told no journals of issue " + item + "; is it Redmine?");
    }
    for (JsonNode journal : journals) {
      String text = journal.path("notes").asText();
      if (!text.isBlank()) {
        String author = journal.path("user").path("id").asText();
        notes.add(new Comment(journal.path("id").asText(), author, text));
      }
    }
    return notes;
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(CURRENT, Map.of(), Set.of(), permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    var issue = JsonNodeFactory.instance.objectNode();
    issue.putObject("issue").put("notes", body.preformatted());
    http.send("PUT", "/issues/" + item + ".json", issue, Set.of(), permission);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    var journal = JsonNodeFactory.instance.objectNode();
    journal.putObject("journal").put("notes", body.preformatted());
    http.send("PUT", "/journals/" + comment + ".json", journal, Set.of(), permission);
  }
}
