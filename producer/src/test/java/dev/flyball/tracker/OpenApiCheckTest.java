package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.FaultRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The check against published descriptions finds the errors that it must find. */
class OpenApiCheckTest {
  private static final OpenApiCheck GITHUB = OpenApiCheck.of("github.json");
  private static final OpenApiCheck JIRA = OpenApiCheck.of("jira.json");
  private static final String ISSUES = "/repos/acme/shop/issues";
  private static final String SEARCH = "/rest/api/3/search/jql";

  @Test
  void whatItDoesNotDescribeIsNot() {
    assertThat(GITHUB.problems(get("/repos/acme/shop/isues"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?state=every"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?since=yesterday"))).isNotEmpty();
    assertThat(GITHUB.problems(get(ISSUES + "?sort_by=updated"))).as("ignored there").isNotEmpty();
    assertThat(GITHUB.problems(post(ISSUES + "/7/comments", "{\"text\":\"x\"}"))).isNotEmpty();
  }

  @Test
  void ourDescriptionOfJiraRefusesWhatJiraDoes() {
    assertThat(JIRA.problems(post(SEARCH, "{\"jql\":\"a = b\",\"startAt\":0}"))).isNotEmpty();
    assertThat(JIRA.problems(post(SEARCH, "{\"jql\":[\"a = b\"]}"))).isNotEmpty();
    assertThat(JIRA.problems(post("/rest/api/3/search", "{\"jql\":\"a = b\"}")))
        .as("removed")
        .isNotEmpty();
  }

  @Test
  void recordedAnswersHaveTheDescribedShape() throws IOException {
    GITHUB.acceptsAnswer("GET", ISSUES, 200, resource("/trackers/github-issues.json"));
    assertThat(GITHUB.problems("GET", ISSUES, 200, "[{\"id\":\"seven\"}]")).isNotEmpty();
    JIRA.acceptsAnswer("POST", SEARCH, 200, resource("/trackers/jira-search.json"));
    assertThat(JIRA.problems("POST", SEARCH, 200, "{\"issues\":{}}")).isNotEmpty();
    String permissions =
        "{\"permissions\":{\"BROWSE_PROJECTS\":{\"key\":\"BROWSE_PROJECTS\",\"havePermission\":true}}}";
    JIRA.acceptsAnswer("GET", "/rest/api/3/mypermissions", 200, permissions);
  }

  private static String resource(String name) throws IOException {
    try (InputStream file = OpenApiCheckTest.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static FaultRequest get(String target) {
    return new FaultRequest("GET", target, Map.of(), "", 0, 0);
  }

  private static FaultRequest post(String target, String body) {
    return new FaultRequest("POST", target, Map.of("content-type", "application/json"), body, 0, 0);
  }
}
