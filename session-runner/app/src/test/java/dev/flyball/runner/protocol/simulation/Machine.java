package dev.flyball.runner.protocol.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * A computer: a suspend-counting clock of its own rate, and what stands still while it is
 * suspended.
 */
final class Machine {
  final String name;
  private final World world;
  private final double rate;
  private final long origin;
  private final List<Deferred> deferred = new ArrayList<>();
  private int boots;
  private boolean suspended;

  private record Deferred(Object who, Runnable action) {}

  /**
   * @param rate clock seconds per true second; two machines differ by 2 % at most
   */
  Machine(String name, World world, double rate) {
    this.name = name;
    this.world = world;
    this.rate = rate;
    this.origin = world.between(0, 1_000_000 * World.SECOND);
  }

  long clock() {
    return origin + (long) (world.now() * rate);
  }

  /** The first true moment at which the clock shows this. */
  long trueTimeOf(long clock) {
    return clock >= Long.MAX_VALUE / 4 ? Long.MAX_VALUE / 4 : (long) ((clock - origin) / rate) + 1;
  }

  String bootId() {
    return name + "#" + boots;
  }

  boolean suspended() {
    return suspended;
  }

  /**
   * Runs on this machine at a true time, or when it goes on after that; what one process does stays
   * in order.
   */
  void at(Object who, long trueTime, Runnable action) {
    world.at(
        trueTime,
        () -> {
          if (suspended) {
            deferred.add(new Deferred(who, action));
          } else {
            action.run();
          }
        });
  }

  void suspend() {
    suspended = true;
  }

  void resume() {
    suspended = false;
    List<Deferred> waiting = List.copyOf(deferred);
    deferred.clear();
    var goesOn = new IdentityHashMap<Object, Long>();
    for (Deferred each : waiting) {
      long at =
          goesOn.computeIfAbsent(each.who, who -> world.now() + world.between(0, 400 * World.MS));
      at(each.who, at, each.action);
    }
  }

  void reboot() {
    boots++;
    suspended = false;
    deferred.clear();
  }
}
