package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments.Comment;
import dev.flyball.writeback.CommentPlan.Marker;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Write-back: an item has one comment of ours, and a repeat edits or skips")
class CommentPlanTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");
  private static final String OURS = comment(ITEM, "s-1", "topic:5");

  @Test
  void withoutAnyOfOursOneIsAdded() {
    assertThat(plan("s-1", "topic:5")).isEqualTo(new CommentPlan.Add());
    assertThat(plan("s-1", "topic:5", "Thanks!", "")).isEqualTo(new CommentPlan.Add());
  }

  @Test
  void theSameAnalysisIsSkipped() {
    assertThat(plan("s-1", "topic:5", "Thanks!", OURS)).isEqualTo(new CommentPlan.Skip());
  }

  @Test
  void aNewerAnalysisEditsIt() {
    assertThat(plan("s-2", "topic:9", "Thanks!", OURS, "me too"))
        .isEqualTo(new CommentPlan.Edit("1"));
  }

  @Test
  void anOlderAnalysisThatComesLateIsSkipped() {
    assertThat(plan("s-0", "topic:3", OURS)).isEqualTo(new CommentPlan.Skip());
  }

  @Test
  void analysesOfTwoLedgersAreOrderedByTheTimeOfTheirEnd() {
    var early = analysis("s-1", "old:900", "14", "text");
    var late = at(analysis("s-2", "anew:1", "15", "text"), Instant.EPOCH.plusSeconds(60));

    assertThat(onTopOf(early, late)).isEqualTo(new CommentPlan.Edit("0"));
    assertThat(onTopOf(late, early)).isEqualTo(new CommentPlan.Skip());
  }

  private static CommentPlan onTopOf(Analysis there, Analysis wanted) {
    String written = CommentPlan.body(ITEM, there).markdown();
    return CommentPlan.of(List.of(new Comment("0", "", written)), Marker.of(ITEM, wanted));
  }

  private static Analysis at(Analysis of, Instant at) {
    return new Analysis(
        of.revision(),
        of.fingerprint(),
        of.commit(),
        of.text(),
        of.files(),
        of.costMicros(),
        of.agent(),
        of.model(),
        of.session(),
        of.token(),
        at,
        of.profile(),
        of.routedBy(),
        of.prompt());
  }

  @Test
  void whatQuotesOursIsNotOurs() {
    String quoted = "> " + OURS.replace("\n", "\n> ");

    assertThat(plan("s-1", "topic:5", quoted)).isEqualTo(new CommentPlan.Add());
    assertThat(plan("s-1", "topic:5", OURS + "\nis this right?")).isEqualTo(new CommentPlan.Add());
    assertThat(plan("s-1", "topic:5", "See:\n" + OURS)).isEqualTo(new CommentPlan.Add());
  }

  @Test
  void aCommentOfAnotherItemIsNotTouched() {
    String other = comment(ItemKey.parse("acme/web/13"), "s-1", "topic:5");

    assertThat(plan("s-1", "topic:5", other)).isEqualTo(new CommentPlan.Add());
  }

  @Test
  void anIdOrRevisionWithSpacesIsFoundAgain() {
    var item = ItemKey.parse("acme/web/my item");
    var analysis = analysis("s-1", "topic:5", "rev 1", "text");
    String written = CommentPlan.body(item, analysis).markdown();

    assertThat(CommentPlan.of(List.of(new Comment("0", "", written)), Marker.of(item, analysis)))
        .isEqualTo(new CommentPlan.Skip());
  }

  @Test
  void aLongAnswerIsCutWithAMark() {
    CommentBody body = CommentPlan.body(ITEM, analysis("s-1", "topic:5", "1", "x".repeat(50_000)));

    assertThat(body.answer()).hasSizeLessThan(CommentPlan.MAX_ANSWER + 2_000);
    assertThat(body.answer()).contains("[cut: 38000 characters; see flyball analysis]");
    assertThat(body.answer()).endsWith("Files:\nsrc/A.java:3-9");
  }

  @Test
  void anAnswerIsCutBetweenCharacters() {
    String answer = "x".repeat(CommentPlan.MAX_ANSWER - 1) + "\ud83d\ude00 tail";

    assertThat(CommentPlan.body(ITEM, analysis("s-1", "topic:5", "1", answer)).answer())
        .startsWith("x".repeat(CommentPlan.MAX_ANSWER - 1) + "\n[cut: 7 characters;");
  }

  @Test
  void anAnswerHidesNothing() {
    String answer =
        "red \033[31mwarn\033[0m bell\007 nul[\0] \u202eabc\u202c zero\u200bwidth\udb40\udd58 end";

    assertThat(CommentPlan.body(ITEM, analysis("s-1", "topic:5", "1", answer)).answer())
        .startsWith("red warn bell nul[] abc zerowidth end");
  }

  @Test
  void anAnswerCannotLeaveItsFence() {
    String hostile = "```\n@everyone ![x](http://evil.example/?q)\n```` </pre><script>";
    CommentBody body = CommentPlan.body(ITEM, analysis("s-1", "topic:5", "1", hostile));

    assertThat(body.markdown()).contains("`````text\n" + hostile);
    assertThat(body.preformatted()).doesNotContain("</pre><script>").doesNotContain("<script");
    assertThat(body.html()).contains("&lt;/pre&gt;&lt;script&gt;").doesNotContain("<script>");
  }

  private static CommentPlan plan(String session, String token, String... existing) {
    var comments = new java.util.ArrayList<Comment>();
    for (String text : existing) {
      comments.add(new Comment(Integer.toString(comments.size()), "", text));
    }
    return CommentPlan.of(comments, Marker.of(ITEM, analysis(session, token, "14", "text")));
  }

  private static String comment(ItemKey item, String session, String token) {
    return CommentPlan.body(item, analysis(session, token, "14", "text")).markdown();
  }

  private static Analysis analysis(String session, String token, String revision, String text) {
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
        Instant.EPOCH,
        null,
        null,
        null);
  }
}
