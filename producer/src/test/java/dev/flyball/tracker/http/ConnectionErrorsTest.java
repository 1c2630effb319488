package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.TrackerFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpRequest;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The reason why a tracker was not reached says what to do")
class ConnectionErrorsTest {

  /**
   * Uses a made-up exception: a real name service may take half a minute, and a proxy never asks
   * one.
   */
  @Test
  void anUnknownHostIsAboutTheUrl() {
    var unresolved = new ConnectException();
    unresolved.initCause(new UnresolvedAddressException());
    var unknown = new ConnectException();
    unknown.initCause(new UnknownHostException("tracker.invalid"));

    for (IOException problem :
        List.of(unresolved, unknown, new UnknownHostException("tracker.invalid"))) {
      TrackerFailure failure = of(problem);
      assertThat(failure.category()).isEqualTo(TrackerFailure.Category.UNREACHABLE);
      assertThat(failure.reason()).contains("tracker.invalid", "name service");
    }
  }

  /** The same exception without that cause: the name is known. */
  @Test
  void aHostWithoutAListenerIsNotAboutItsName() {
    TrackerFailure failure = of(new ConnectException());
    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.UNREACHABLE);
    assertThat(failure.reason()).doesNotContain("name");
  }

  private static TrackerFailure of(IOException problem) {
    var exchange =
        new Exchange(
            "GET",
            URI.create("https://tracker.invalid/x"),
            HttpRequest.BodyPublishers.noBody(),
            Map.of(),
            Map.of(),
            Duration.ZERO,
            0);
    return ConnectionErrors.of(problem, false, exchange).failure();
  }
}
