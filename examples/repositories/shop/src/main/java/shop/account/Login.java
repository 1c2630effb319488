package shop.account;

import java.util.HashMap;
import java.util.Map;

/** Signs customers in by mail address and password. */
public final class Login {
  private static final int MAX_FAILURES = 5;

  private final Map<String, String> hashes = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private final Sessions sessions;

  public Login(Sessions sessions) {
    this.sessions = sessions;
  }

  public void register(String mail, String password) {
    hashes.put(mail, Passwords.hash(password));
  }

  /** A session, or null. After five failures the account is locked until the password is reset. */
  public String signIn(String mail, String password) {
    int failed = failures.getOrDefault(mail, 0);
    if (failed >= MAX_FAILURES) {
      throw new IllegalStateException("account locked");
    }
    if (!Passwords.hash(password).equals(hashes.get(mail))) {
      failures.put(mail, failed + 1);
      return null;
    }
    return sessions.begin(mail);
  }

  public void unlock(String mail) {
    failures.remove(mail);
  }
}
