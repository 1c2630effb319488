package dev.flyball.runner.lease;

import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * How many runners live, by their entries, and how long to wait so that they do not all claim at
 * once.
 */
final class Crowd {
  private final Clockwork clockwork;
  private final RandomGenerator random;
  private final Map<String, Long> heard = new HashMap<>();

  Crowd(Clockwork clockwork, RandomGenerator random) {
    this.clockwork = clockwork;
    this.random = random;
  }

  void heard(String runner, long receivedAt) {
    heard.put(runner, receivedAt);
  }

  /** Live runners, this one included. */
  int size(long now, String self) {
    heard.values().removeIf(at -> now - at > 3 * clockwork.beat());
    return heard.containsKey(self) ? heard.size() : heard.size() + 1;
  }

  /** A random delay before a claim. A lone runner has nobody to yield to. */
  long delay(long now, String self) {
    int live = size(now, self);
    return live == 1 || clockwork.herd() == 0 ? 0 : random.nextLong(clockwork.herd() * live);
  }

  long upTo(long bound) {
    return random.nextLong(Math.max(1, bound));
  }
}
