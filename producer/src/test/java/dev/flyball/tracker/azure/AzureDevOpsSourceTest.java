package dev.flyball.tracker.azure;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Azure DevOps by REST: every change is read at least once, none is missed. */
class AzureDevOpsSourceTest {
  private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");
  private static final String QUERY =
      "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project";

  private final ScriptedAzure azure = new ScriptedAzure();
  @AutoClose private final FaultServer server = FaultServer.http().otherwise(azure::answer);
  private final AzureDevOpsSource source = source(QUERY);

  @Test
  void idsAreAskedOfTheProjectAndItemsOfTheOrganisation() {
    azure.change(7, "seven");

    assertThat(read(null).items()).extracting(RawItem::title).containsExactly("seven");

    FaultRequest query = server.requests().get(0);
    assertThat(query.path()).isEqualTo("/org/project/_apis/wit/wiql");
    assertThat(query.query())
        .containsEntry("timePrecision", "true")
        .containsEntry("$top", "20000")
        .containsEntry("api-version", "7.1");
    FaultRequest batch = server.requests().get(1);
    assertThat(batch.path()).isEqualTo("/org/_apis/wit/workitemsbatch");
    assertThat(batch.query()).containsEntry("api-version", "7.1");
    assertThat(RecordJson.parse(batch.body()).path("errorPolicy").asText()).isEqualTo("Omit");
    assertThat(RecordJson.parse(batch.body()).path("fields").toString())
        .contains("System.Title", "Microsoft.VSTS.TCM.ReproSteps");
  }

  @Test
  void itemsAreReadInBatchesOfTwoHundred() {
    LongStream.rangeClosed(1, 401).forEach(id -> azure.change(id, "item"));

    PollResult read = read(null);

    assertThat(read.items()).hasSize(401);
    assertThat(read.requests()).isEqualTo(1 + 3).isEqualTo(server.requests().size());
  }

  @Test
  void untilAnHourAfterAChangeThatHourIsReadAgain() {
    azure.change(7, "seven");
    later(Duration.ofMinutes(5));
    String cursor = read(null).cursor();
    azure.at(azure.now().minus(Duration.ofMinutes(20))).change(8, "seen by the index only now");
    later(Duration.ofMinutes(25));

    PollResult again = read(cursor);

    assertThat(again.items()).extracting(RawItem::title).contains("seen by the index only now");
    assertThat(again.requests()).isEqualTo(2);
  }

  @Test
  void anEditIsANewRevision() {
    azure.change(7, "seven");
    later(Duration.ofDays(1));
    String cursor = read(null).cursor();
    azure.change(7, "seven, edited");

    PollResult read = read(cursor);

    assertThat(read.items()).extracting(RawItem::revision).containsExactly("2");
    assertThat(read.cursor()).isNotEqualTo(cursor);
    assertThat(source.horizon(read.cursor())).contains(azure.now().minus(Duration.ofHours(1)));
  }

  // T13
  @Test
  void nothingIsLostOrDoubledWhenItemsChangeDuringAPoll() {
    azure.mostFound(20);
    LongStream.rangeClosed(1, 120).forEach(this::changeAnHourLater);
    var edited = new AtomicInteger();
    azure.afterEachAnswer(() -> {
      later(Duration.ofSeconds(1));
      azure.change(1 + (edited.getAndAdd(7) % 120), "edited");
    });
    PollResult first = read(null);
    azure.afterEachAnswer(() -> {});
    later(Duration.ofSeconds(1));

    PollResult second = read(first.cursor());

    assertThat(first.items()).as("each once").hasSize(120);
    var newest = new HashMap<String, String>();
    first.items().forEach(item -> newest.put(item.key().id(), item.revision()));
    second.items().forEach(item -> newest.put(item.key().id(), item.revision()));
    PollResult all = read(null);
    assertThat(all.items()).hasSize(120);
    assertThat(all.items())
        .as("the last revision of each was read")
        .allSatisfy(item -> assertThat(newest).containsEntry(item.key().id(), item.revision()));
  }

  // T13
  @Test
  void anAnswerThatIsFullMayHaveBeenCut() {
    String full = "{\"id\":1},".repeat(19_999) + "{\"id\":1}";
    server.then(FaultReply.json("{\"asOf\":\"" + NOW + "\",\"workItems\":[" + full + "]}"));
    azure.change(7, "seven");

    assertThat(read(null).items()).hasSize(1);
    assertThat(azure.queries()).as("its two halves").hasSize(2);
  }

  @Test
  void whatIsHiddenBetweenQueryAndBatchIsNoItem() {
    azure.change(7, "seven").change(8, "eight");
    azure.afterEachAnswer(() -> azure.remove(8));

    PollResult read = read(null);

    assertThat(read.items()).extracting(RawItem::title).containsExactly("seven");
    assertThat(read.invalid()).isEmpty();
  }

  @Test
  void aFieldThatTheServerDoesNotKnowIsLeftOut() {
    azure.change(7, "seven");
    server.otherwise(request ->
        request.body().contains("AcceptanceCriteria")
            ? FaultReply.json(
                400,
                "{\"message\":\"TF51535: Cannot find field"
                    + " Microsoft.VSTS.Common.AcceptanceCriteria.\"}")
            : azure.answer(request));

    assertThat(read(null).items()).hasSize(1);
    assertThat(read(null).requests()).as("it is known from then on").isEqualTo(2);
  }

  @Test
  void aRejectedQueryIsForTheUserToFix() {
    server.then(
        FaultReply.json(
            400, "{\"message\":\"TF51005: The query references a field\\nthat is missing.\"}"));

    TrackerFailure failure = failure(source);

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.NOT_FOUND);
    assertThat(failure.reason())
        .isEqualTo(
            "acme/ado: the query is refused: TF51005: The query references a field that is"
                + " missing; correct sources[].query");
  }

  @Test
  void aPersonalTokenIsAPasswordAndOneOfEntraABearers() {
    assertThat(AzureRest.header("abc")).isEqualTo("Basic OmFiYw==");
    assertThat(AzureRest.header("eyJ0.eyJh.c2ln")).isEqualTo("Bearer eyJ0.eyJh.c2ln");
  }

  @Test
  void itemsAreLookedAtAgainByTheirIds() {
    azure.change(7, "seven").changeBroken(8);

    Revisited seen =
        source.revisit(List.of(key("7"), key("8"), key("9"), key("x")), RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::title).containsExactly("seven");
    assertThat(seen.gone())
        .as("not what is there and cannot be read")
        .containsExactlyInAnyOrder(key("9"), key("x"));
    assertThat(seen.requests()).as("one more because one is missing").isEqualTo(2);
  }

  @Test
  void toWhoMayNotSeeTheProjectNothingIsGone() {
    server.otherwise(request ->
        request.path().endsWith("workitemsbatch")
            ? FaultReply.json("{\"count\":1,\"value\":[null]}")
            : FaultReply.json(
                404, "{\"message\":\"TF200016: The project does not exist: project\"}"));

    var keys = List.of(key("7"));
    assertThat(failureOf(() -> source.revisit(keys, RequestPermission.GRANTED)).category())
        .isEqualTo(TrackerFailure.Category.NOT_FOUND);
  }

  @Test
  void aShortWaitBetweenTwoRequestsIsObeyed() {
    azure.change(7, "seven");
    asksToWait("wiql", 1);
    long begin = System.nanoTime();

    PollResult read = read(null);

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(1));
    assertThat(read.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aLongWaitInTheMiddleFailsThePollWithThatWait() {
    azure.change(7, "seven");
    asksToWait("wiql", 90);

    TrackerFailure failure = failure(source);

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.RATE_LIMITED);
    assertThat(failure.retryAfter()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void aLongWaitAfterTheLastAnswerIsForTheNextPoll() {
    azure.change(7, "seven");
    asksToWait("workitemsbatch", 90);

    PollResult read = read(null);

    assertThat(read.items()).hasSize(1);
    assertThat(read.retryAfter()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void aListLongerThanOnePartIsReadByPollsThatGoOnFromTheCommittedPlace() {
    LongStream.rangeClosed(1, 5_000).forEach(this::changeAMinuteLater);
    var batches = new AtomicInteger();
    server.otherwise(request ->
        request.path().endsWith("workitemsbatch") && batches.incrementAndGet() == 15
            ? FaultReply.status(429, Map.of("Retry-After", "60"))
            : azure.answer(request));
    var ids = new ArrayList<String>();
    String cursor = null;
    int failures = 0;
    for (boolean more = true; more; ) {
      try {
        PollResult read = source(QUERY).poll(cursor, RequestPermission.GRANTED);
        assertThat(read.items()).as("one part").hasSizeLessThanOrEqualTo(2_000);
        read.items().forEach(item -> ids.add(item.key().id()));
        cursor = read.cursor();
        more = read.more();
        assertThat(source.goesOn(cursor)).isEqualTo(more);
      } catch (SourceFailure e) {
        assertThat(++failures).isEqualTo(1);
      }
    }
    assertThat(ids).as("one on each seam twice").hasSize(5_002);
    assertThat(Set.copyOf(ids)).hasSize(5_000);
  }

  private void changeAMinuteLater(long id) {
    later(Duration.ofMinutes(1));
    azure.change(id, "item");
  }

  private void asksToWait(String answer, int seconds) {
    server.otherwise(request ->
        azure.answer(request) instanceof FaultReply.Whole whole && request.path().endsWith(answer)
            ? new FaultReply.Whole(
                200, Map.of("Retry-After", String.valueOf(seconds)), whole.body())
            : azure.answer(request));
  }

  private void changeAnHourLater(long id) {
    later(Duration.ofHours(1));
    azure.change(id, "item");
  }

  private void later(Duration time) {
    azure.at(azure.now().plus(time));
  }

  private AzureDevOpsSource source(String query) {
    return new AzureDevOpsSource(
        TestSources.azure(server.url() + "/org/project", query, new Credential.None()),
        InstantSource.fixed(NOW),
        new TrackerLimits());
  }

  private PollResult read(@Nullable String cursor) {
    return source.poll(cursor, RequestPermission.GRANTED);
  }

  private static TrackerFailure failure(AzureDevOpsSource source) {
    return failureOf(() -> source.poll(null, RequestPermission.GRANTED));
  }

  private static ItemKey key(String id) {
    return new ItemKey("acme", "ado", id);
  }
}
