package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.FaultTls;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;
import java.net.URI;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real certificates of an authority that this JVM trusts, as with {@code
 * -Djavax.net.ssl.trustStore}: each has exactly one error.
 */
@Tag("long")
@DisplayName("A tracker with a wrong identity gets no credential, and the line says the fix")
class UntrustedTrackerIT {
  private static final String TOKEN = "s3cr3t-7b1f0c2d9e4a";
  private static final String HERE = "ip:127.0.0.1,dns:localhost";

  @TempDir static Path folder;
  private static FaultTls authority;
  private static SSLContext before;

  @BeforeAll
  static void trust() throws NoSuchAlgorithmException {
    authority = FaultTls.authority(folder, "acme");
    before = SSLContext.getDefault();
    SSLContext.setDefault(authority.trusted());
  }

  @AfterAll
  static void trustAsBefore() {
    SSLContext.setDefault(before);
  }

  @Test
  void aCertificateOfATrustedAuthorityIsEnough() {
    try (FaultServer tracker = tracker(authority.issued(HERE, FaultTls.SINCE_AN_HOUR))) {
      assertThat(http(tracker, "localhost").get("/", RequestPermission.GRANTED).status())
          .isEqualTo(200);
    }
  }

  @Test
  void oneThatExpiredOrIsForAnotherNameIsRefused() {
    assertThat(refused(authority.issued(HERE, "-3d"), "127.0.0.1")).contains("NotAfter", "clock");
    SSLContext other = authority.issued("dns:tracker.example", FaultTls.SINCE_AN_HOUR);
    assertThat(refused(other, "localhost")).contains("localhost found", " name");
  }

  @Test
  void oneOfAnotherAuthorityIsRefusedAlsoIfItIsCalledTheSame() {
    SSLContext other = FaultTls.authority(folder, "acme").issued(HERE, FaultTls.SINCE_AN_HOUR);
    assertThat(refused(other, "127.0.0.1")).contains("trustStore");
  }

  @Test
  void aTrackerWithoutTlsIsAboutTheScheme() {
    try (FaultServer tracker = FaultServer.http()) {
      URI secure = URI.create("https://127.0.0.1:" + tracker.url().getPort());

      assertThat(unreachable(http(secure))).contains(" scheme ");
      assertThat(tracker.requests()).isEmpty();
    }
  }

  /**
   * The error line for a tracker with this certificate; the tracker sees no request, so no token
   * either.
   */
  private static String refused(SSLContext shown, String host) {
    try (FaultServer tracker = tracker(shown)) {
      String reason = unreachable(http(tracker, host));
      assertThat(reason).contains(host);
      assertThat(tracker.requests()).as("no token before there is trust").isEmpty();
      return reason;
    }
  }

  private static String unreachable(TrackerHttp http) {
    TrackerFailure failure = failureOf(() -> http.get("/", RequestPermission.GRANTED));
    assertThat(failure.category())
        .as(failure.reason())
        .isEqualTo(TrackerFailure.Category.UNREACHABLE);
    assertThat(failure.reason()).matches("[ -~]{20,600}").doesNotContain(TOKEN);
    return failure.reason();
  }

  private static FaultServer tracker(SSLContext shown) {
    return FaultServer.https(shown).otherwise(request -> FaultReply.json("{}"));
  }

  private static TrackerHttp http(FaultServer tracker, String host) {
    return http(URI.create(tracker.url().toString().replace("127.0.0.1", host)));
  }

  private static TrackerHttp http(URI base) {
    return new TrackerHttp(
        base,
        () -> Map.of("Authorization", "Bearer " + TOKEN),
        InstantSource.system(),
        new TrackerLimits());
  }
}
