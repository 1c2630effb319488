package dev.flyball.ops.console.access;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts wrong tokens of each client address, so that tokens cannot be tried out. Any thread. */
final class FailedSignIns {
  /** Wrong tokens of one address in a window, after which it has to wait for the next one. */
  static final int MOST = 10;

  static final Duration WINDOW = Duration.ofMinutes(1);

  private static final int ADDRESSES = 10_000;

  /** Written and read under this object's monitor; the oldest window comes first. */
  private final Map<String, Window> windows = new LinkedHashMap<>();

  private record Window(Instant from, int failures) {}

  synchronized boolean blocked(String address, Instant now) {
    Window window = windows.get(address);
    return window != null && current(window, now) && window.failures() >= MOST;
  }

  synchronized void failed(String address, Instant now) {
    Window window = windows.get(address);
    if (window != null && current(window, now)) {
      windows.put(address, new Window(window.from(), window.failures() + 1));
      return;
    }
    windows.values().removeIf(each -> !current(each, now));
    if (windows.size() >= ADDRESSES) {
      windows.remove(windows.keySet().iterator().next());
    }
    windows.put(address, new Window(now, 1));
  }

  private static boolean current(Window window, Instant now) {
    return now.isBefore(window.from().plus(WINDOW));
  }
}
