package dev.flyball.runner.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The guard process of level C. Reads what its runner tells it on standard input, keeps trackers of
 * its own, kills a session whose deadline has passed, and all of them when the input ends, for then
 * the runner is gone.
 */
final class GuardMain {
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Map<String, Watched> sessions = new ConcurrentHashMap<>();
  private final Duration tick;

  private GuardMain(Duration tick) {
    this.tick = tick;
  }

  /** Deadline in centiseconds since boot, and what is known of the tree. */
  private record Watched(long end, Tracker tracker) {}

  /** Argument: milliseconds between looks at the clock. */
  public static void main(String[] args) throws IOException {
    var guard = new GuardMain(Duration.ofMillis(Long.parseLong(args[0])));
    Thread.ofPlatform().daemon().name("deadman").start(guard::watch);
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        guard.told(line.split(" "));
      }
    }
    Tracker.killAll(guard.sessions.values().stream().map(Watched::tracker).toList(), LIMIT);
  }

  private void told(String[] words) {
    switch (words[0]) {
      case "add" -> {
        sessions.put(words[1], new Watched(Long.parseLong(words[2]), new Tracker(words[1])));
        System.out.println("ok " + words[1]);
      }
      case "root" -> {
        Watched one = sessions.get(words[1]);
        if (one != null) {
          one.tracker().add(Integer.parseInt(words[2]), Long.parseLong(words[3]));
          one.tracker().members(ProcessTable.read());
        }
      }
      case "end" ->
          sessions.computeIfPresent(
              words[1], (session, one) -> new Watched(Long.parseLong(words[2]), one.tracker()));
      case "del" -> sessions.remove(words[1]);
      default -> System.out.println("? " + words[0]);
    }
  }

  private void watch() {
    long looked = System.nanoTime();
    while (true) {
      Tracks.pause(tick);
      try {
        killOverdue();
        if (!sessions.isEmpty() && System.nanoTime() - looked > LOOK.toNanos()) {
          looked = System.nanoTime();
          ProcessTable table = ProcessTable.read();
          sessions.values().forEach(one -> one.tracker().members(table));
        }
      } catch (RuntimeException e) {
        // /proc could not be read for once; a deadman that ends here would let trees live on.
        looked = System.nanoTime();
      }
    }
  }

  /** All at once: one that cannot be killed must not hold up the others' deadlines. */
  private void killOverdue() {
    long now = BootClock.centis();
    List<Tracker> overdue =
        sessions.values().stream().filter(one -> now >= one.end()).map(Watched::tracker).toList();
    if (!overdue.isEmpty()) {
      Tracker.killAll(overdue, LIMIT);
    }
  }
}
