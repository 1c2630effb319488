package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName(
    "Write-back by webhook: posted with a key by which a receiver recognizes a repeat, bounded,"
        + " never dropped")
class WebhookDeliveryTest {
  private final FaultServer server = FaultServer.http();
  @TempDir Path folder;

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void anAnalysisIsPostedWithItsSessionAsKeyAndTheTokenAsBearer() throws IOException {
    server.then(FaultReply.status(204, Map.of()));
    Path token = Files.writeString(folder.resolve("token"), "s3cret\n");

    assertThat(deliver(new Credential.InFile(token))).isEqualTo("posted");

    var request = server.requests().getFirst();
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.header("Idempotency-Key")).contains("s-1");
    assertThat(request.header("Authorization")).contains("Bearer s3cret");
    assertThat(request.body()).contains("\"item\":\"acme/web/12\"", "\"text\":\"answer\"");
  }

  @ParameterizedTest
  @CsvSource({"404, true", "422, true", "401, false", "429, false", "500, false", "302, false"})
  void onlyWhatWillNeverDoIsGivenUp(int status, boolean hopeless) {
    server.then(FaultReply.status(status, Map.of()));

    assertThat(hopeless(refused(Duration.ofSeconds(30)))).isEqualTo(hopeless);
  }

  @Test
  void anAnswerThatDripsIsCutOffAndTriedAgain() {
    server.otherwise(request -> new FaultReply.Dripping());

    TrackerFailure failure = refused(Duration.ofMillis(400));

    assertThat(failure.category()).isEqualTo(Category.UNREACHABLE);
    assertThat(hopeless(failure)).isFalse();
  }

  private TrackerFailure refused(Duration limit) {
    var thrown =
        catchThrowableOfType(SourceFailure.class, () -> deliver(new Credential.None(), limit));
    return Objects.requireNonNull(thrown).failure();
  }

  private boolean hopeless(TrackerFailure failure) {
    return new WebhookDelivery(server.url(), new Credential.None())
        .hopeless(failure, 99, RequestPermission.GRANTED);
  }

  private String deliver(Credential token) {
    return deliver(token, Duration.ofSeconds(30));
  }

  private String deliver(Credential token, Duration limit) {
    var analysis =
        new Analysis(
            "1",
            Fingerprint.parse("1:title#00"),
            null,
            "answer",
            List.of(),
            0,
            "scout",
            null,
            "s-1",
            "ledger:1",
            Instant.EPOCH);
    return new WebhookDelivery(server.url(), token, limit)
        .deliver(ItemKey.parse("acme/web/12"), analysis, RequestPermission.GRANTED);
  }
}
