package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.text.TextileText;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  public RedmineComments(TrackerHttp http) {
    this.http = http;
    this.account = new Account(http, CURRENT, answer -> answer.path("user").path("id"));
  }

  /** What is read of a change of an issue; one with notes is a comment. */
  @JsonNaming(SnakeCaseStrategy.class)
  record Journal(String id, User user, String notes, String createdOn, boolean privateNotes) {
    Journal {
      user = user == null ? new User("", "") : user;
    }
  }

  record User(String id, String name) {}

  @Override
  public List<Comment> of(String item, RequestPermission permission) {
    return journals(item, permission).stream()
        .filter(journal -> !journal.notes.isBlank())
        .map(journal -> new Comment(journal.id, journal.user.id, journal.notes))
        .toList();
  }

  /**
   * The newest notes, the newest first. Redmine does not say which accounts are programs. Private
   * notes are left out: an analysis could repeat them to everyone.
   */
  List<HumanComment> latest(String item, RequestPermission permission) {
    return HumanComment.latest(
        journals(item, permission).reversed().stream()
            .filter(journal -> !journal.privateNotes)
            .map(journal ->
                HumanComment.of(
                    journal.user.name, journal.createdOn, TextileText.of(journal.notes)))
            .toList());
  }

  /** The changes of an issue, the oldest first. */
  private List<Journal> journals(String item, RequestPermission permission) {
    return http.getBesidePoll("/issues/" + item + ".json?include=journals", permission)
        .list(
            "/issue/journals",
            Journal.class,
            "Redmine returned no journals of issue " + item + "; is it Redmine?");
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(CURRENT, permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    var issue = Map.of("issue", Map.of("notes", body.preformatted()));
    http.send("PUT", "/issues/" + item + ".json", issue, permission);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    var journal = Map.of("journal", Map.of("notes", body.preformatted()));
    http.send("PUT", "/journals/" + comment + ".json", journal, permission);
  }
}
