package dev.flyball.tracker.github;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OpenApiCheck;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ListedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GitHubSourceTest {
  private static final Instant NOW = Instant.parse("2026-02-10T09:00:00Z");
  private static final ItemKey ONE = new ItemKey("acme", "github-main", "1");
  private static final ItemKey TWO = new ItemKey("acme", "github-main", "2");

  @AutoClose private final FaultServer github = FaultServer.http();
  private final ListedSource source =
      (ListedSource)
          TestSources.gitHub(github.url(), new Credential.None())
              .open(() -> NOW, new TrackerLimits());

  @Test
  void theFirstPollAsksForOpenIssuesAndEveryLaterOneForChanges() {
    github.then(list(issue(1, "2026-02-10T08:59:00Z")), list());

    read(read(null).cursor());

    assertThat(github.requests().getFirst().target())
        .isEqualTo("/repos/acme/web/issues?state=open&sort=updated&direction=asc&per_page=100");
    assertThat(github.requests().getLast().query())
        .containsEntry("state", "all")
        .as("two minutes before the newest change")
        .containsEntry("since", "2026-02-10T08:57:00Z");
    assertThat(github.requests().getFirst().header("X-GitHub-Api-Version")).contains("2022-11-28");
    assertThat(github.requests().getFirst().header("Accept"))
        .contains("application/vnd.github+json");
  }

  @Test
  void aPullRequestIsNoItemButMovesTheWatermark() {
    github.then(
        list(
            issue(1, "2026-02-10T08:00:00Z"),
            issue(2, "2026-02-10T08:30:00Z").replace("{", "{\"pull_request\":{\"url\":\"x\"},")));

    PollResult read = read(null);

    assertThat(read.items()).extracting(RawItem::key).containsExactly(ONE);
    assertThat(read.lines()).isEqualTo(1);
    assertThat(source.horizon(read.cursor())).contains(Instant.parse("2026-02-10T08:30:01Z"));
  }

  @Test
  void anAnswerThatStillStandsIsAnsweredAgainForItMayNotHaveBeenPublished() {
    String cursor = cursor();
    github.then(
        list(Map.of("ETag", "W/\"a1\""), issue(1, "2026-02-10T08:00:00Z")),
        FaultReply.status(304, Map.of()));

    PollResult before = read(cursor);
    PollResult after = read(cursor);

    assertThat(last().header("If-None-Match")).contains("W/\"a1\"");
    assertThat(after.items()).isEqualTo(before.items()).hasSize(1);
    assertThat(after.cursor()).isEqualTo(before.cursor());
    assertThat(after.requests()).isEqualTo(1);
  }

  @Test
  void aConditionBelongsToOneAddress() {
    github.then(list(Map.of("ETag", "W/\"a1\""), issue(1, "2026-02-10T08:00:00Z")), list(), list());

    read(read(null).cursor());

    assertThat(last().header("If-None-Match")).isEmpty();
  }

  @Test
  void aLimitThatEndsInTheMiddleOfTheListEndsThePollThereWithItsWait() {
    String reset = Long.toString(NOW.plusSeconds(600).getEpochSecond());
    github.then(
        list(
            Map.of(
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                reset,
                "Link",
                "<" + github.url() + "/repositories/1/issues?page=2>; rel=\"next\""),
            issue(1, "2026-02-10T08:00:00Z")));

    PollResult read = read(null);

    assertThat(read.more()).isTrue();
    assertThat(read.items()).extracting(RawItem::key).containsExactly(ONE);
    assertThat(read.retryAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(github.requests()).as("nothing asked that would be refused").hasSize(1);
    github.then(list());
    read(read.cursor());
    assertThat(last().query())
        .as("goes on from there, and still with the open ones")
        .containsEntry("state", "open")
        .containsEntry("since", "2026-02-10T07:59:59Z");
  }

  @Test
  void aRevisitReportsTheStateOfEachIssue() {
    github.then(
        FaultReply.json(issue(1, "2026-02-10T08:00:00Z").replace("open", "closed")),
        FaultReply.json(410, "{\"message\":\"This issue was deleted\"}"),
        list());

    var seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);

    assertThat(seen.items())
        .singleElement()
        .satisfies(item -> {
          assertThat(item.key()).isEqualTo(ONE);
          assertThat(item.closed()).isTrue();
        });
    assertThat(seen.gone()).containsExactly(TWO);
    assertThat(seen.requests()).isEqualTo(3);
    assertThat(last().query()).containsEntry("per_page", "1");
    OpenApiCheck.of("github.json").acceptsRequests(github.requests());
  }

  @Test
  void ofAnIssueThatCannotBeReadNothingIsSaid() {
    github.then(
        FaultReply.json(issue(1, "once")), FaultReply.json(issue(2, "2026-02-10T08:00:00Z")));

    var seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::key).containsExactly(TWO);
    assertThat(seen.gone()).isEmpty();
  }

  @Test
  void aLookAtAnIssueThatStayedAsItWasIsConditional() {
    github.then(
        FaultReply.json(200, Map.of("ETag", "\"a1\""), issue(1, "2026-02-10T08:00:00Z")),
        FaultReply.status(304, Map.of()),
        FaultReply.status(304, Map.of()));

    var first = source.revisit(List.of(ONE), RequestPermission.GRANTED);
    source.revisit(List.of(ONE), RequestPermission.GRANTED);
    var third = source.revisit(List.of(ONE), RequestPermission.GRANTED);

    assertThat(github.requests().getFirst().header("If-None-Match")).isEmpty();
    assertThat(last().header("If-None-Match")).contains("\"a1\"");
    assertThat(third.items()).isEqualTo(first.items()).hasSize(1);
    assertThat(third.gone()).isEmpty();
  }

  @Test
  void anIssueThatWasTransferredIsGone() {
    github.then(FaultReply.redirect(301, github.url() + "/repositories/2/issues/9"), list());

    var seen = source.revisit(List.of(ONE), RequestPermission.GRANTED);

    assertThat(seen.gone()).containsExactly(ONE);
  }

  @Test
  void noIssueIsGoneWhereTheRepositoryIs() {
    github.then(FaultReply.status(404, Map.of()), FaultReply.status(404, Map.of()));
    assertThatThrownBy(() -> source.revisit(List.of(ONE), RequestPermission.GRANTED))
        .isInstanceOf(SourceFailure.class);

    github.then(
        FaultReply.redirect(301, github.url() + "/repositories/1/issues/1"),
        FaultReply.redirect(301, github.url() + "/repositories/1/issues"));
    var renamed = failureOf(() -> source.revisit(List.of(ONE), RequestPermission.GRANTED));
    assertThat(renamed.category()).isEqualTo(Category.NOT_FOUND);
    assertThat(renamed.reason()).contains("new name");
  }

  private String cursor() {
    github.then(list(issue(1, "2026-02-10T08:00:00Z")));
    return read(null).cursor();
  }

  private FaultRequest last() {
    return github.requests().getLast();
  }

  private PollResult read(@Nullable String cursor) {
    return source.poll(cursor, RequestPermission.GRANTED);
  }

  private static FaultReply list(String... issues) {
    return list(Map.of(), issues);
  }

  private static FaultReply list(Map<String, String> headers, String... issues) {
    return FaultReply.json(200, new TreeMap<>(headers), "[" + String.join(",", issues) + "]");
  }

  private static String issue(int number, String updatedAt) {
    return "{\"number\":%s,\"title\":\"Issue\",\"state\":\"open\",\"updated_at\":\"%s\"}"
        .formatted(number, updatedAt);
  }
}
