package dev.flyball.tracker.http;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account as which a tracker knows us. It is asked once for each token and kept: another token
 * may belong to another account. Where the tracker does not say for a token, the author that it
 * named for our last comment stays: such tokens are renewed every hour and their account stays the
 * same. Any thread.
 */
public final class Account {
  private static final Logger LOG = LoggerFactory.getLogger(Account.class);

  private final TrackerHttp http;
  private final Function<RequestPermission, String> id;

  /** The login headers when {@link #known} was learnt; null before. */
  private @Nullable Map<String, String> login;

  private Optional<String> known = Optional.empty();

  /** The author that the tracker named for our last comment. */
  private Optional<String> written = Optional.empty();

  /**
   * Sends no request yet.
   *
   * @param id asks the tracker for the id of the token's account
   */
  public Account(TrackerHttp http, Function<RequestPermission, String> id) {
    this.http = http;
    this.id = id;
  }

  /**
   * The account's id; empty where the tracker does not name it for this token.
   *
   * @throws SourceFailure if it does not answer now: it may answer later
   */
  public synchronized Optional<String> id(RequestPermission permission) {
    Map<String, String> now = http.login();
    if (!now.equals(login)) {
      known = ask(permission).or(() -> written);
      login = now;
    }
    return known;
  }

  /** The tracker named the author of our comment: this id replaces any other. */
  public synchronized void wrote(String author) {
    if (!author.isEmpty()) {
      written = Optional.of(author);
      known = written;
      login = http.login();
    }
  }

  private Optional<String> ask(RequestPermission permission) {
    try {
      return Optional.of(id.apply(permission)).filter(it -> !it.isEmpty());
    } catch (SourceFailure e) {
      TrackerFailure failure = e.failure();
      if (failure.category() == Category.RATE_LIMITED
          || failure.category() == Category.UNREACHABLE) {
        throw e;
      }
      LOG.info("comments of ours are known by their mark alone: {}", failure.reason());
      return Optional.empty();
    }
  }
}
