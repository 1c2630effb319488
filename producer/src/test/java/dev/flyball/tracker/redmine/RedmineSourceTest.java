package dev.flyball.tracker.redmine;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OpenApiCheck;
import dev.flyball.tracker.OtherShapes;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConformance;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Redmine, as answers of version 5.0.4 were recorded. */
class RedmineSourceTest extends SourceConformance {
  /** The time of the answers; the issues are older. */
  private static final String NOW = "Sun, 22 Nov 2026 12:00:00 GMT";

  private static final int ISSUES = 5;
  private static final int PAGE = 3;

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.redmine(url, token);
  }

  @Override
  protected Places places() {
    return new Places(
        "12",
        "/users/current.json",
        "/user/id",
        "/issues/12.json",
        "/issue/journals",
        "/journals/",
        "/user/id",
        "notes");
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    return switch (request.path()) {
      case "/users/current.json" -> reply("{\"user\":{\"id\":5,\"login\":\"bot\"}}");
      case "/enumerations/issue_priorities.json" ->
          reply(
              "{\"issue_priorities\":[{\"id\":1,\"name\":\"Low\"},{\"id\":2,\"name\":\"High\"}]}");
      case "/issues.json" -> reply(page(request.query(), stock));
      default -> FaultReply.json(404, "");
    };
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.of(OpenApiCheck.of("redmine.json"));
  }

  @Test
  void ofAnIssueThatCannotBeReadNothingIsSaid() {
    answersToALook(issue(1).replace("updated_on", "changed_on"), issue(2));
    var seen = source().revisit(List.of(key(1), key(2), key(3)), RequestPermission.GRANTED);
    assertThat(seen.items()).extracting(RawItem::key).containsExactly(key(2));
    assertThat(seen.gone()).containsExactly(key(3));

    answersToALook("{\"subject\":\"no id\"}", issue(2));
    seen = source().revisit(List.of(key(1), key(2)), RequestPermission.GRANTED);
    assertThat(seen.gone()).as("it may be any of them").isEmpty();
  }

  @Test
  void aKeyThatWasWithdrawnMovesNoCursor() {
    Source source = source();
    String cursor = read(source, null).cursor();
    tracker().forget();
    tracker()
        .otherwise(request ->
            request.path().equals("/users/current.json")
                ? FaultReply.json(401, "")
                : reply(list(issue(6).replace("T11:58", "T11:59"))));
    assertThat(failureOf(() -> source.poll(cursor, RequestPermission.GRANTED)).category())
        .as("what everybody sees is not all")
        .isEqualTo(TrackerFailure.Category.AUTH);
    assertThat(tracker().requests()).hasSize(2);
  }

  @Test
  void aStatusThatIsNewIsLookedUp() {
    Source source = source();
    statuses("{\"id\":1,\"is_closed\":false},{\"id\":5,\"is_closed\":true}", 1, 5);
    assertThat(read(source, null).items()).extracting(RawItem::closed).containsExactly(false, true);

    statuses("{\"id\":1,\"is_closed\":false},{\"id\":6,\"is_closed\":true}", 5, 6, 7, 7);
    assertThat(read(source, null).items())
        .as("one that is not listed any more, a new one, and one that nobody knows")
        .extracting(RawItem::closed)
        .containsExactly(true, true, false, false);
    assertThat(tracker().requests().stream().map(FaultRequest::path))
        .as("the list, though two are unknown")
        .filteredOn(path -> path.equals("/issue_statuses.json"))
        .hasSize(2);
  }

  @Test
  void aPriorityThatIsInNoListIsAskedForOnce() {
    String unlisted = "\"priority\":{\"id\":9}";
    answersToALook(
        issue(1).replaceAll("\"priority\":\\{[^}]*}", unlisted),
        issue(2).replaceAll("\"priority\":\\{[^}]*}", unlisted));

    assertThat(read(source(), null).items()).extracting(RawItem::priority).containsExactly(3, 3);
    assertThat(tracker().requests().stream().map(FaultRequest::path))
        .filteredOn(path -> path.equals("/enumerations/issue_priorities.json"))
        .hasSize(1);
  }

  @Test
  void aStatusThatAnAdministratorMadeAClosedOneIsSoAfterAnHour() {
    var now = new AtomicReference<>(Instant.parse("2026-11-22T12:00:00Z"));
    Source source =
        new RedmineSource(
            TestSources.redmine(tracker().url(), new Credential.None()),
            now::get,
            new TrackerLimits());
    statuses("{\"id\":1,\"is_closed\":false}", 1);
    assertThat(read(source, null).items()).extracting(RawItem::closed).containsExactly(false);
    statuses("{\"id\":1,\"is_closed\":true}", 1);
    assertThat(read(source, null).items()).extracting(RawItem::closed).containsExactly(false);

    now.set(now.get().plus(Duration.ofHours(1)));

    assertThat(read(source, null).items()).extracting(RawItem::closed).containsExactly(true);
  }

  @Test
  void aValueOfAnotherShapeSpoilsAtMostItsEntry() {
    tracker()
        .otherwise(request ->
            request.path().equals("/issue_statuses.json")
                ? reply("{\"issue_statuses\":[{\"id\":1},null,3]}")
                : answer(request, Stock.EMPTY));
    var config = TestSources.redmine(tracker().url(), new Credential.None());
    InstantSource clock = InstantSource.system();
    var lists = new RedmineLists(RedmineSource.http(config, clock, new TrackerLimits()), clock);

    assertThat(OtherShapes.of(RecordJson.parse(issue(1))))
        .hasSizeGreaterThan(100)
        .allSatisfy(json -> {
          var entry = RedmineIssue.read(json, config, lists, RequestPermission.GRANTED);
          assertThat(entry.content()).isNotNull();
        });
  }

  /** Issues of a Redmine that does not name in them which status is closed. */
  private void statuses(String list, int... ofIssues) {
    var issues = new ArrayList<String>();
    for (int status : ofIssues) {
      issues.add(
          issue(issues.size() + 1)
              .replaceAll(
                  "\"status\":\\{[^}]*}", "\"status\":{\"id\":" + status + ",\"name\":\"S\"}"));
    }
    tracker().forget();
    tracker()
        .otherwise(request ->
            switch (request.path()) {
              case "/issues.json" -> reply(list(issues.toArray(String[]::new)));
              case "/issue_statuses.json" -> reply("{\"issue_statuses\":[" + list + "]}");
              default -> answer(request, Stock.EMPTY);
            });
  }

  private void answersToALook(String... issues) {
    tracker()
        .otherwise(request ->
            request.path().equals("/issues.json")
                ? reply(list(issues))
                : answer(request, Stock.EMPTY));
  }

  private static String list(String... issues) {
    return "{\"issues\":[%s],\"total_count\":%s}"
        .formatted(String.join(",", issues), issues.length);
  }

  private static ItemKey key(int id) {
    return new ItemKey("acme", "tracker", Integer.toString(id));
  }

  private static String page(Map<String, String> query, Stock stock) {
    String since = query.getOrDefault("updated_on", ">=1970-01-01T00:00:00Z").substring(2);
    var rest = new ArrayList<String>();
    if (stock != Stock.EMPTY) {
      IntStream.rangeClosed(1, ISSUES)
          .filter(id -> !changed(id).isBefore(Instant.parse(since)))
          .mapToObj(RedmineSourceTest::issue)
          .forEach(rest::add);
    }
    if (stock == Stock.REPEATED && query.containsKey("updated_on")) {
      rest.addFirst(issue(1));
    }
    if (stock == Stock.UNREADABLE) {
      rest.add("{\"subject\":\"" + "x".repeat(9_000) + "\"}");
    }
    List<String> page = rest.subList(0, Math.min(PAGE, rest.size()));
    return "{\"issues\":[%s],\"total_count\":%s,\"offset\":0,\"limit\":%s}"
        .formatted(String.join(",", page), rest.size(), PAGE);
  }

  private static String issue(int id) {
    return RecordJson.write(
        Map.of(
            "id",
            id,
            "tracker",
            Map.of("id", 1, "name", "Bug"),
            "status",
            Map.of("id", 1, "name", "New", "is_closed", false),
            "priority",
            Map.of("id", 1, "name", "Low"),
            "subject",
            "Issue " + id,
            "description",
            "h1. Steps",
            "updated_on",
            changed(id).toString()));
  }

  private static Instant changed(int id) {
    return Instant.parse("2026-11-22T11:58:00Z").plusSeconds(id);
  }

  private static FaultReply reply(String json) {
    return FaultReply.json(200, Map.of("Date", NOW), json);
  }
}
