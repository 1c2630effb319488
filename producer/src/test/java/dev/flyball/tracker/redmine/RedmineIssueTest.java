package dev.flyball.tracker.redmine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OtherShapes;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedmineIssueTest {
  private static final JsonNode ISSUE =
      RecordJson.parse(
          """
          {"id": 7, "subject": "It fails", "description": "d", "updated_on": "2026-02-10T08:00:00Z",
           "tracker": {"id": 1, "name": "Bug"}, "status": {"id": 1, "name": "New"},
           "priority": {"id": 4, "name": "Normal"}, "category": {"id": 2, "name": "web"},
           "assigned_to": {"id": 5, "name": "Ann"}}
          """);

  private final FaultServer redmine = FaultServer.http();

  @AfterEach
  void close() {
    redmine.close();
  }

  @Test
  void aValueOfAnotherShapeSpoilsAtMostItsEntry() {
    redmine.otherwise(_ ->
        FaultReply.json(
            "{\"issue_priorities\":[{\"id\":4}],\"issue_statuses\":[{\"id\":1},null,3]}"));
    var config = TestSources.redmine(redmine.url(), new Credential.None());
    InstantSource clock = InstantSource.system();
    var lists = new RedmineLists(RedmineSource.http(config, clock, new TrackerLimits()), clock);

    assertThat(OtherShapes.of(ISSUE))
        .hasSizeGreaterThan(100)
        .allSatisfy(json -> {
          var entry = RedmineIssue.read(json, config, lists, RequestPermission.GRANTED);
          assertThat(entry.content()).isNotNull();
        });
  }
}
