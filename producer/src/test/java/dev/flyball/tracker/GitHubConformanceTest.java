package dev.flyball.tracker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** GitHub as docs.github.com describes its list of issues; written by us, not recorded. */
class GitHubConformanceTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00Z");

  @Override
  protected Source source(URI url, Credential token) {
    return new GitHubSource(
        TestSources.gitHub(url, token), () -> FIRST.plusSeconds(60), new TrackerLimits());
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.of(OpenApiCheck.of("github.json"));
  }

  @Override
  protected Set<String> ids() {
    return Set.of("1", "2", "3", "4", "5");
  }

  @Override
  protected int requestsOfAnEmptyPoll() {
    return 1;
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    return linked(request, stock, "since", GitHubConformanceTest::issue);
  }

  private static ObjectNode issue(int number) {
    return ((ObjectNode) RecordJson.parse("{\"state\":\"open\",\"labels\":[],\"assignees\":[]}"))
        .put("number", number)
        .put("title", "Issue " + number)
        .put("body", "It *fails*")
        .put("html_url", "https://github.example/acme/web/issues/" + number)
        .put("updated_at", FIRST.plusSeconds(10L * number).toString());
  }
}
