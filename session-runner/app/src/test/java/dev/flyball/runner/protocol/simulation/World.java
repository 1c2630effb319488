package dev.flyball.runner.protocol.simulation;

import dev.flyball.runner.protocol.LeaseTimes;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** True time, chance, and the queue of what happens next. */
final class World {
  static final long MS = 1_000_000L;
  static final long SECOND = 1_000 * MS;
  static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;
  private static final int MOST_EVENTS = 400_000;
  private static final int TOLD = 400;

  final SplittableRandom random;
  final Mutation mutation;
  final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private final PriorityQueue<Event> queue = new PriorityQueue<>();
  private final ArrayDeque<String> story = new ArrayDeque<>();
  private final boolean telling;
  private long now;
  private long order;
  private boolean healed;

  World(long seed, Mutation mutation, boolean telling) {
    this.random = new SplittableRandom(seed);
    this.mutation = mutation;
    this.telling = telling;
  }

  private record Event(long time, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(time, other.time);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  long now() {
    return now;
  }

  void at(long time, Runnable action) {
    queue.add(new Event(Math.max(time, now), order++, action));
  }

  void after(long delay, Runnable action) {
    at(now + delay, action);
  }

  void runUntil(long time) {
    while (!queue.isEmpty() && queue.peek().time <= time) {
      Event event = queue.remove();
      now = event.time;
      event.action.run();
      if (order > MOST_EVENTS) {
        throw new Violation("no endless work", "more than " + MOST_EVENTS + " events");
      }
    }
    now = time;
  }

  /** From here on nothing goes wrong any more. */
  void heal() {
    healed = true;
    tell("everything heals");
  }

  boolean healed() {
    return healed;
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  long between(long from, long to) {
    return from >= to ? from : random.nextLong(from, to);
  }

  void count(Fault fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  void tell(String what) {
    if (telling) {
      story.add(String.format(Locale.ROOT, "%9.3f %s", now / 1e9, what));
      if (story.size() > TOLD) {
        story.removeFirst();
      }
    }
  }

  String story() {
    return String.join("\n", story);
  }
}
