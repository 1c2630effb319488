package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.FaultRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The check against published descriptions finds the errors that it must find. */
class OpenApiCheckTest {
  private static final OpenApiCheck GITHUB = OpenApiCheck.of("github.json");
  private static final String ISSUES = "/repos/acme/shop/issues";

  @Test
  void whatGitHubDescribesIsAccepted() {
    GITHUB.acceptsRequests(
        List.of(
            get(
                ISSUES
                    + "?state=all&sort=updated&direction=asc&per_page=100"
                    + "&since=2026-11-22T03%3A00%3A00Z"),
            get(ISSUES + "/7"),
            get(ISSUES + "/7/comments?per_page=100"),
            post(ISSUES + "/7/comments", "{\"body\":\"an analysis\"}")));
  }

  @Test
  void whatItDoesNotDescribeIsNot() {
    assertThat(GITHUB.problems(get("/repos/acme/shop/isues"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?state=every"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?since=yesterday"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?sort_by=updated"))).as("ignored there").isNotEmpty();
    assertThat(GITHUB.problems(post(ISSUES + "/7/comments", "{\"text\":\"x\"}"))).isNotEmpty();
  }

  @Test
  void recordedAnswersHaveTheDescribedShape() throws IOException {
    try (InputStream file = getClass().getResourceAsStream("/trackers/github-issues.json")) {
      String recorded = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      GITHUB.acceptsAnswer("GET", ISSUES, 200, recorded);
    }
    assertThat(GITHUB.problems("GET", ISSUES, 200, "[{\"id\":\"seven\"}]")).isNotEmpty();
  }

  private static FaultRequest get(String target) {
    return new FaultRequest("GET", target, Map.of(), "", 0, 0);
  }

  private static FaultRequest post(String target, String body) {
    return new FaultRequest("POST", target, Map.of("content-type", "application/json"), body, 0, 0);
  }
}
