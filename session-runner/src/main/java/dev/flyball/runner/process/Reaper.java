package dev.flyball.runner.process;

import dev.flyball.runner.process.ContainedProcess.Identity;
import dev.flyball.runner.process.ProcessTable.Entry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Ends what a dead runner left behind, by identity and cookie, never by a name (S0-29, S4-14). */
public final class Reaper {
  private Reaper() {}

  /**
   * What ending a session's remains took.
   *
   * @param found live processes at the first look
   * @param survivors processes that could not be ended
   */
  public record Reaped(int found, int survivors) {}

  /**
   * Ends every process of a session. Its outermost process counts as such only if boot, PID
   * namespace, pid, start time and cookie all fit: a pid alone may be anybody's by now.
   */
  public static Reaped reap(String session, Optional<Identity> outermost, Duration limit) {
    var tracker = new Tracker(session);
    outermost
        .filter(Identities::alive)
        .filter(id -> Cookie.of((int) id.pid()).filter(session::equals).isPresent())
        .ifPresent(id -> tracker.add((int) id.pid(), id.startTicks()));
    int found = (int) tracker.members(ProcessTable.read()).stream().filter(Entry::alive).count();
    return new Reaped(found, tracker.killAll(limit).size());
  }

  /** How many live processes carry the cookie of a session that fits. */
  public static int count(Predicate<String> session) {
    return carriers(session).values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * The sessions that fit and have live processes, and how many; one pass over /proc, however many
   * sessions are asked for.
   */
  public static Map<String, Integer> carriers(Predicate<String> session) {
    var found = new TreeMap<String, Integer>();
    for (Entry entry : ProcessTable.recent(ContainmentSettings.DEFAULT_SAMPLE_AGE).all()) {
      if (entry.alive()) {
        Cookie.of(entry.pid())
            .filter(session)
            .ifPresent(carried -> found.merge(carried, 1, Integer::sum));
      }
    }
    return found;
  }
}
