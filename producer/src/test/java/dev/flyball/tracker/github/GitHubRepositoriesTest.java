package dev.flyball.tracker.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.Fault;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConformance;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The repositories of an organisation, as docs.github.com describes them; not recorded. */
class GitHubRepositoriesTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00Z");
  private static final String NAMES =
      "[{\"id\": 1, \"full_name\": \"acme/web\"}, {\"id\": 2, \"full_name\": \"acme/api\"},"
          + " {\"id\": 3, \"full_name\": \"acme/old\", \"archived\": true}]";

  private String repositories = "acme/*";
  private String names = NAMES;
  private Instant now = FIRST.plusSeconds(600);

  /** What the issues of a repository are answered instead. */
  private final Map<String, FaultReply> instead = new TreeMap<>();

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return new SourceConfig.GitHub(
        new SourceConfig.Identity("acme", "web", SourceConfig.DEFAULT_INTERVAL),
        SourceRules.DEFAULT,
        url,
        repositories,
        token);
  }

  @Override
  protected Instant now() {
    return now;
  }

  @Override
  protected Set<String> ids() {
    return Set.of(
        "acme/web#1", "acme/web#2", "acme/web#3", "acme/web#4", "acme/web#5", "acme/api#6");
  }

  @Override
  protected int requestsOfAnEmptyPoll() {
    return 2;
  }

  /** A fault of one repository leaves the others. */
  @Override
  protected List<Integer> failingAt(int all) {
    return List.of(1);
  }

  /** An owner that is no organisation is asked for as a person. */
  @Override
  protected int lastAfter(Fault fault, int at) {
    return fault == Fault.NO_SUCH_PLACE ? at + 1 : at;
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    FaultReply fault = instead.get(request.path());
    if (fault != null) {
      return fault;
    }
    return switch (request.path()) {
      case "/orgs/acme/repos" -> FaultReply.json(names);
      case "/repos/acme/web/issues" ->
          linked(request, stock, "since", number -> issue("acme/web", number));
      case "/repos/acme/api/issues" ->
          FaultReply.json(stock == Stock.EMPTY ? "[]" : "[" + issue("acme/api", 6) + "]");
      default -> FaultReply.json(404, "{\"message\": \"Not Found\"}");
    };
  }

  private static ObjectNode issue(String repository, int number) {
    return ((ObjectNode)
            RecordJson.parse(
                "{\"state\": \"open\", \"labels\": [], \"assignees\": [], \"title\": \"It"
                    + " fails\"}"))
        .put("number", number)
        .put("repository_url", "https://api.github.example/repos/" + repository)
        .put("updated_at", FIRST.plusSeconds(10L * number).toString());
  }

  @Override
  protected Places places() {
    String issues = "/repos/acme/web/issues/";
    return new Places(
        "acme/web#12",
        "/user",
        "/id",
        issues + "12/comments",
        "",
        issues + "comments/",
        "/user/id",
        "body");
  }

  @Test
  void aRepositoryThatVanishesIsNamedAndTheOthersAreRead() {
    instead.put("/repos/acme/web/issues", FaultReply.json(404, "{\"message\": \"Not Found\"}"));

    PollResult read = read(source(), null);

    assertThat(read.items()).extracting(item -> item.key().id()).containsExactly("acme/api#6");
    assertThat(read.notRead()).contains("/repos/acme/web/issues", "404");
    instead.clear();
    assertThat(read(source(), read.cursor()).items()).as("from its beginning").hasSize(6);
  }

  @Test
  void thoseOfAPersonAreReadWhoIsNoOrganisation() {
    instead.put("/orgs/acme/repos", FaultReply.json(404, "{\"message\": \"Not Found\"}"));
    instead.put("/users/acme/repos", FaultReply.json(NAMES));

    assertThat(read(source(), null).items()).hasSize(6);
  }

  /** The listing is asked for again after an hour. */
  @Test
  void whatLeavesTheOrganisationOrIsCalledOtherwiseIsNamed() {
    Source source = source();
    String cursor = read(source, null).cursor();
    names = "[{\"id\": 2, \"full_name\": \"acme/service\"}]";
    instead.put("/repos/acme/service/issues", FaultReply.json("[]"));

    assertThat(read(source, cursor).notRead()).as("within the hour").isNull();
    now = now.plus(Duration.ofHours(1));
    PollResult read = read(source, cursor);

    assertThat(read.notRead())
        .contains("acme/web is gone", "acme/api is called acme/service")
        .doesNotContain("acme/old");
    assertThat(read.cursor()).startsWith("acme/service=").doesNotContain("acme/web");
  }

  @Test
  void ofAListOneThatIsCalledOtherwiseIsNamedAndRead() {
    repositories = "acme/web, acme/api";
    instead.put("/repos/acme/api/issues", FaultReply.json("[" + issue("acme/service", 6) + "]"));

    PollResult read = read(source(), null);

    assertThat(read.items()).hasSize(6);
    assertThat(read.notRead()).isEqualTo(GitHubSource.moved("acme/api", "acme/service"));
    assertThat(tracker().requests()).as("no listing").noneMatch(it -> it.path().contains("orgs"));
  }

  @Test
  void aLimitEndsTheRoundAndTheNextPollBeginsAfterIt() {
    instead.put("/repos/acme/api/issues", FaultReply.json(429, Map.of("Retry-After", "120"), "{}"));
    Source source = source();

    PollResult read = read(source, null);

    assertThat(read.items()).as("what was read before counts").hasSize(5);
    assertThat(read.retryAfter()).isEqualTo(Duration.ofMinutes(2));
    assertThat(read.notRead()).contains("rate limited");
  }

  @Test
  void aTokenThatIsRefusedIsNotTriedWithEachRepository() {
    repositories = "a/a,a/b,a/c,a/d,a/e";
    tracker().otherwise(request -> FaultReply.json(403, "{\"message\": \"no\"}"));

    assertThat(failed(source()).category()).isEqualTo(Category.AUTH);
    assertThat(tracker().requests()).hasSize(3);
  }

  @Test
  void itemsAreCheckedInTheirRepositories() {
    instead.put("/repos/acme/web/issues/1", FaultReply.json(issue("acme/web", 1).toString()));
    instead.put("/repos/acme/lost/issues", FaultReply.json(404, "{}"));
    List<ItemKey> keys =
        Stream.of("acme/web#1", "acme/api#6", "acme/lost#1")
            .map(id -> new ItemKey("acme", "web", id))
            .toList();

    Revisited seen = source().revisit(keys, RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::key).containsExactly(keys.getFirst());
    assertThat(seen.gone()).as("not those of a lost repository").containsExactly(keys.get(1));
  }
}
