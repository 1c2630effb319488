package dev.flyball.tracker.http;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * Checks whether a tracker still accepts our credential. Some treat a request with an expired one
 * as anonymous and answer with public content: items would be missing, or all would look deleted,
 * silently. Used by the one polling thread.
 */
public final class LoginCheck {
  private static final Duration VALID = Duration.ofHours(1);

  private final Credential credential;
  private final InstantSource clock;
  private final Consumer<RequestPermission> ask;
  private Instant checked = Instant.MIN;

  /**
   * Sends no request yet.
   *
   * @param ask asks the tracker; fails where it does not accept the credential
   */
  public LoginCheck(Credential credential, InstantSource clock, Consumer<RequestPermission> ask) {
    this.credential = credential;
    this.clock = clock;
    this.ask = ask;
  }

  /** Checks it if the last check is too old, or the clock was set back. */
  public void check(RequestPermission permission) {
    Instant now = clock.instant();
    if (now.isBefore(checked) || now.minus(VALID).isAfter(checked)) {
      checkNow(permission);
    }
  }

  /** Checks it now; returns immediately where there is no credential. */
  public void checkNow(RequestPermission permission) {
    if (!(credential instanceof Credential.None)) {
      ask.accept(permission);
      checked = clock.instant();
    }
  }
}
