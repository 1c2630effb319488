package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.RedmineServer;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.redmine.RedmineComments;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName(
    "Write-back into a real Redmine: one note for each item, even when other people write there")
class RedmineCommentsIT {
  private static RedmineServer redmine;

  @BeforeAll
  static void start(@TempDir Path folder) {
    redmine = RedmineServer.start(folder);
  }

  @AfterAll
  static void stop() {
    redmine.close();
  }

  @Test
  void aRepeatIsSkippedAndANewerAnalysisEditsTheNote() {
    int issue = redmine.issues().create("Search is slow", "It takes *9 s*.");
    redmine.issues().comment(issue, "me too");

    assertThat(deliver(issue, "s-1", 1, "It is the index.")).isEqualTo("added");
    assertThat(deliver(issue, "s-1", 1, "It is the index.")).isEqualTo("skipped");
    redmine.issues().comment(issue, "> " + notes(issue).getLast().replace("\n", "\n> "));
    assertThat(deliver(issue, "s-2", 2, "</pre> !http://evil.example/x.png! @all"))
        .isEqualTo("edited");

    assertThat(notes(issue)).hasSize(3);
    assertThat(notes(issue).get(1))
        .startsWith(CommentBody.HEADING)
        .contains("< /pre> !http://evil.example/x.png! @all")
        .contains("session=s-2 token=ledger:2 ");
  }

  @Test
  void anIssueThatIsGoneIsSaidToBe() {
    assertThatThrownBy(() -> deliver(999_999, "s-1", 1, "text"))
        .isInstanceOfSatisfying(
            SourceFailure.class,
            e -> assertThat(e.failure().category()).isEqualTo(Category.NOT_FOUND));
  }

  private static String deliver(int issue, String session, long offset, String text) {
    var http =
        new TrackerHttp(
            URI.create(redmine.url()),
            () -> Map.of("X-Redmine-API-Key", RedmineServer.BOT_KEY),
            InstantSource.system(),
            new TrackerLimits());
    var analysis = Sample.analysis(text, session, "ledger:" + offset);
    return new CommentDelivery(new RedmineComments(http))
        .deliver(
            new ItemKey("acme", "redmine", Integer.toString(issue)),
            analysis,
            RequestPermission.GRANTED);
  }

  private static List<String> notes(int issue) {
    return StreamSupport.stream(redmine.issues().read(issue).path("journals").spliterator(), false)
        .map(journal -> journal.path("notes").asText().replace("\r\n", "\n"))
        .filter(text -> !text.isBlank())
        .toList();
  }
}
