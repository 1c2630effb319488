package dev.flyball.tracker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/** GitHub as docs.github.com describes its list of issues; written by us, not recorded. */
class GitHubConformanceTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00Z");

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.gitHub(url, token);
  }

  @Override
  protected Instant now() {
    return FIRST.plusSeconds(60);
  }

  @Override
  protected Places places() {
    return new Places(
        "12",
        "/user",
        "/id",
        "/repos/acme/web/issues/12/comments",
        "",
        "/repos/acme/web/issues/comments/",
        "/user/id",
        "body");
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.of(OpenApiCheck.of("github.json"));
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
