package shop.account;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Who is signed in, by the cookie's value. */
public final class Sessions {
  private record Session(String mail, Instant began) {}

  private final Map<String, Session> sessions = new ConcurrentHashMap<>();
  private final Clock clock;
  private final Duration keep;

  public Sessions(Clock clock, Duration keep) {
    this.clock = clock;
    this.keep = keep;
  }

  public String begin(String mail) {
    String id = UUID.randomUUID().toString();
    sessions.put(id, new Session(mail, clock.instant()));
    return id;
  }

  /** The customer of a session that has not expired, or null. */
  public String customer(String id) {
    Session session = sessions.get(id);
    if (session == null || session.began().plus(keep).isBefore(clock.instant())) {
      return null;
    }
    return session.mail();
  }

  public void end(String id) {
    sessions.remove(id);
  }
}
