package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.RequestPermission;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Which comments are ours, while tokens change. */
class AccountTest {
  private static final FaultReply UNTOLD = FaultReply.json(403, Map.of(), "{}");

  @AutoClose private final FaultServer tracker = FaultServer.http();
  private String token = "first";
  private final TrackerHttp http =
      new TrackerHttp(
          tracker.url(),
          () -> Map.of("Authorization", "Bearer " + token),
          InstantSource.system(),
          new TrackerLimits());
  private final Account account =
      new Account(http, it -> http.get("/user", it).json().path("id").asText());

  @Test
  void aRenewedTokenThatIsNotToldItsAccountKeepsTheAuthorOfWhatWeWrote() {
    tracker.then(UNTOLD).then(UNTOLD);
    assertThat(account.id(RequestPermission.GRANTED)).isEmpty();
    account.wrote("bot");

    token = "second";

    assertThat(account.id(RequestPermission.GRANTED)).contains("bot");
    assertThat(account.id(RequestPermission.GRANTED)).contains("bot");
    assertThat(tracker.requests()).as("asked once for each token").hasSize(2);
  }

  @Test
  void theTrackersAnswerForAnotherTokenReplacesTheStoredOne() {
    account.wrote("bot");
    tracker.then(FaultReply.json("{\"id\":\"other\"}"));

    token = "second";

    assertThat(account.id(RequestPermission.GRANTED)).contains("other");
  }
}
