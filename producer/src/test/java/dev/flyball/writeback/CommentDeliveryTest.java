package dev.flyball.writeback;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.Comments.Comment;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName(
    "Write-back: an item has one comment of ours; its trouble is its own, a place's everybody's")
class CommentDeliveryTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");

  private final MemoryComments comments = new MemoryComments();
  private final CommentDelivery delivery = new CommentDelivery(comments, false);

  @Test
  void onlyANewerAnalysisChangesTheComment() {
    written("Thanks!", "");

    assertThat(deliver("s-5", 5)).isEqualTo("added");
    assertThat(deliver("s-5", 5)).as("the same").isEqualTo("skipped");
    assertThat(deliver("s-3", 3)).as("an older one that comes late").isEqualTo("skipped");
    assertThat(deliver("s-9", 9)).isEqualTo("edited");
    assertThat(comments.comments.get("12")).hasSize(3);
  }

  @Test
  void analysesOfTwoLedgersAreOrderedByTheTimeOfTheirEnd() {
    var early = analysis("s-1", "old:900", "14", "text", Instant.EPOCH);
    var late = analysis("s-2", "anew:1", "15", "text", Instant.EPOCH.plusSeconds(60));

    assertThat(deliver(ITEM, early)).isEqualTo("added");
    assertThat(deliver(ITEM, late)).isEqualTo("edited");
    assertThat(deliver(ITEM, early)).isEqualTo("skipped");
  }

  @Test
  void whatQuotesOursOrIsOfAnotherItemIsNotOurs() {
    String ours = CommentDelivery.body(ITEM, analysis("s-1", 5, "text"), false).markdown();
    var other = ItemKey.parse("acme/web/13");
    written(
        "> " + ours.replace("\n", "\n> "),
        ours + "\nis this right?",
        "See:\n" + ours,
        CommentDelivery.body(other, analysis("s-1", 5, "text"), false).markdown());

    assertThat(deliver("s-1", 5)).isEqualTo("added");
  }

  @Test
  void anIdOrRevisionWithSpacesIsFoundAgain() {
    var item = ItemKey.parse("acme/web/my item");
    var analysis = analysis("s-1", "topic:5", "rev 1", "text", Instant.EPOCH);

    assertThat(deliver(item, analysis)).isEqualTo("added");
    assertThat(deliver(item, analysis)).isEqualTo("skipped");
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH"})
  void aCommentThatMayNotBeEditedStaysAndANewOneIsAdded(Category refused) {
    deliver("s-1", 1);
    comments.edits = refused;

    assertThat(deliver("s-2", 2)).isEqualTo("added");
    assertThat(comments.comments.get("12")).hasSize(2);
    assertThat(deliver("s-2", 2)).isEqualTo("skipped");
  }

  @Test
  void anEditThatIsToBeTriedAgainAddsNothing() {
    deliver("s-1", 1);
    comments.edits = Category.UNREACHABLE;

    assertThatThrownBy(() -> deliver("s-2", 2)).isInstanceOf(SourceFailure.class);
    assertThat(comments.comments.get("12")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"NOT_FOUND, GONE", "AUTH, ITEM", "MALFORMED, ITEM", "UNREACHABLE, ITEM"})
  void anItemThatFailsInAPlaceThatAnswersIsToBlame(Category category, Delivery.Blame blame) {
    assertThat(blame(category)).isEqualTo(blame);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH", "UNREACHABLE"})
  void anItemThatCanBeReadIsNotGoneWhateverTheAnswerToItsComment(Category refused) {
    comments.adds = refused;

    TrackerFailure failure = failureOf(() -> deliver("s-1", 1));

    assertThat(delivery.blame(failure, RequestPermission.GRANTED)).isEqualTo(Delivery.Blame.ITEM);
  }

  @ParameterizedTest
  @EnumSource
  void whereThePlaceDoesNotAnswerItIsToBlame(Category category) {
    comments.down = true;
    assertThat(blame(category)).isEqualTo(Delivery.Blame.PLACE);
  }

  @Test
  void aRateLimitIsThePlacesOwn() {
    assertThat(blame(Category.RATE_LIMITED)).isEqualTo(Delivery.Blame.PLACE);
  }

  @Test
  void aRepositoryThatWasRenamedIsNamed() {
    try (var github = FaultServer.http()) {
      github.otherwise(request ->
          switch (request.method() + " " + request.path()) {
            case "GET /repositories/9" -> FaultReply.json("{\"full_name\":\"acme/shop\"}");
            case "GET /repositories/9/issues/12/comments" -> FaultReply.json("[]");
            default ->
                FaultReply.redirect(
                    request.method().equals("GET") ? 301 : 307,
                    request.path().replace("/repos/acme/web", "/repositories/9"));
          });
      SourceConfig config = TestSources.gitHub(github.url(), new Credential.None());
      Comments comments =
          config.open(InstantSource.system(), new TrackerLimits()).writer().orElseThrow();
      var delivery = new CommentDelivery(comments, false);

      TrackerFailure failure =
          failureOf(
              () -> delivery.deliver(ITEM, analysis("s-1", 1, "text"), RequestPermission.GRANTED));

      assertThat(failure.reason())
          .isEqualTo("repository acme/web is called acme/shop now; correct sources[].repository");
      assertThat(delivery.blame(failure, RequestPermission.GRANTED))
          .isEqualTo(Delivery.Blame.PLACE);
    }
  }

  private Delivery.Blame blame(Category category) {
    return delivery.blame(TrackerFailure.of(category, "no"), RequestPermission.GRANTED);
  }

  @Test
  void aLongAnswerIsCutWithAMark() {
    CommentBody body = CommentDelivery.body(ITEM, analysis("s-1", 5, "x".repeat(50_000)), false);

    assertThat(body.answer()).hasSizeLessThan(CommentDelivery.MAX_ANSWER + 2_000);
    assertThat(body.answer()).contains("[cut: 38000 characters; see flyball analysis]");
    assertThat(body.answer()).endsWith("Files:\n\n- `src/A.java:3-9`");
  }

  @Test
  void anAnswerIsCutBetweenCharacters() {
    String answer = "x".repeat(CommentDelivery.MAX_ANSWER - 1) + "\ud83d\ude00 tail";

    assertThat(CommentDelivery.body(ITEM, analysis("s-1", 5, answer), false).answer())
        .startsWith("x".repeat(CommentDelivery.MAX_ANSWER - 1) + "\n[cut: 7 characters;");
  }

  @Test
  void anAnswerHidesNothing() {
    String answer =
        "red \033[31mwarn\033[0m bell\007 nul[\0] \u202eabc\u202c zero\u200bwidth\udb40\udd58 end";

    assertThat(CommentDelivery.body(ITEM, analysis("s-1", 5, answer), false).answer())
        .startsWith("red warn bell nul[] abc zerowidth end");
  }

  @Test
  void anAnswerCannotLeaveItsFence() {
    String hostile = "```\n@everyone ![x](http://evil.example/?q)\n```` </pre><script>";
    CommentBody body = CommentDelivery.body(ITEM, analysis("s-1", 5, hostile), true);

    assertThat(body.markdown()).contains("`````text\n" + hostile);
    assertThat(body.preformatted()).doesNotContain("</pre><script>").doesNotContain("<script");
    assertThat(body.html()).contains("&lt;/pre&gt;&lt;script&gt;").doesNotContain("<script>");
  }

  @Test
  void anAnswerIsShownAsItsMarkdownWithoutWhatActs() {
    CommentBody body =
        CommentDelivery.body(ITEM, analysis("s-1", 5, "# Cause\n\n@ann <b> `a`"), false);

    assertThat(body.markdown())
        .startsWith(CommentBody.HEADING)
        .contains("\n\n### Cause\n\n@\u200bann \\<b\\> `a`\n\nFiles:\n\n- `src/A.java:3-9`\n\n");
    assertThat(body.html()).contains("<h3>Cause</h3>\n<p>@\u200bann &lt;b&gt; <code>a</code></p>");
  }

  /** A tracker refuses what is too long, and the item would become a dead letter. */
  @Test
  void anAnswerWhoseMarkupWouldBeTooLongIsShownAsItIs() {
    String nested = "> ".repeat(20) + "a\n".repeat(5_000);
    String comment = CommentDelivery.body(ITEM, analysis("s-1", 5, nested), false).markdown();

    assertThat(comment).contains("```text\n> > >").hasSizeLessThan(20_000);
  }

  private void written(String... texts) {
    var all = comments.comments.computeIfAbsent("12", item -> new ArrayList<>());
    for (String text : texts) {
      all.add(new Comment(Integer.toString(all.size()), "", text));
    }
  }

  private String deliver(String session, long offset) {
    return deliver(ITEM, analysis(session, offset, "text"));
  }

  private String deliver(ItemKey item, Analysis analysis) {
    return delivery.deliver(item, analysis, RequestPermission.GRANTED);
  }

  private static Analysis analysis(String session, long offset, String text) {
    return analysis(session, "topic:" + offset, "14", text, Instant.EPOCH);
  }

  private static Analysis analysis(
      String session, String token, String revision, String text, Instant at) {
    return new Analysis(
        revision,
        Fingerprint.parse("1:title#00"),
        null,
        text,
        List.of(new Analysis.Passage("src/A.java", 3, 9, "")),
        0,
        "scout",
        null,
        session,
        token,
        at,
        null,
        null,
        null);
  }
}
