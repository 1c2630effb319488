package dev.flyball.ops.telemetry;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.stream.Stream;

/**
 * The health of a service.
 *
 * @param live false if only a new process helps; the service manager should then restart it
 * @param ready whether it works: broker reached, ledger read
 * @param conditions why it is not healthy, or not ready yet; empty if healthy
 */
public record Health(Status status, boolean live, boolean ready, List<Condition> conditions) {

  public Health {
    conditions = List.copyOf(conditions);
  }

  /** The health of a live service. */
  public Health(Status status, boolean ready, List<Condition> conditions) {
    this(status, true, ready, conditions);
  }

  /** The three levels; degraded still answers 200. */
  public enum Status {
    HEALTHY,
    DEGRADED,
    UNHEALTHY
  }

  /**
   * One thing that is wrong. Two are the same if their code and what they concern are: the text may
   * change with each look.
   *
   * @param code what kind of thing
   * @param of what it concerns, for example a source; empty if there is only one of its kind
   * @param text one line for a person
   */
  public record Condition(String code, String of, @JsonValue String text) {
    /** One that concerns the whole service. */
    public Condition(String code, String text) {
      this(code, "", text);
    }

    /** What makes two conditions the same. */
    public String cause() {
      return code + " " + of;
    }
  }

  /** Healthy and ready to work. */
  public static Health healthy() {
    return new Health(Status.HEALTHY, true, List.of());
  }

  /** Alive, not ready yet. */
  public static Health starting(String text) {
    return new Health(Status.HEALTHY, false, List.of(new Condition("starting", text)));
  }

  /** Works, but a person should check the condition. */
  public static Health degraded(String code, String text) {
    return degraded(List.of(new Condition(code, text)));
  }

  /** Works, but a person should check these conditions; healthy if there are none. */
  public static Health degraded(List<Condition> conditions) {
    return conditions.isEmpty() ? healthy() : new Health(Status.DEGRADED, true, conditions);
  }

  /** Does not work, or an invariant is broken. */
  public static Health unhealthy(String code, String text) {
    return new Health(Status.UNHEALTHY, false, List.of(new Condition(code, text)));
  }

  /** Does nothing until its process is restarted. */
  public static Health halted(String text) {
    return new Health(Status.UNHEALTHY, false, false, List.of(new Condition("halted", text)));
  }

  /** The same status with other conditions. */
  public Health because(List<Condition> others) {
    return new Health(status, live, ready, others);
  }

  /** The conditions for a person, one line each. */
  public List<String> reasons() {
    return conditions.stream().map(Condition::text).toList();
  }

  /** The worse of two, with the conditions of both. */
  public Health and(Health other) {
    Status worse = status.compareTo(other.status) >= 0 ? status : other.status;
    List<Condition> all = Stream.concat(conditions.stream(), other.conditions.stream()).toList();
    return new Health(worse, live && other.live, ready && other.ready, all);
  }
}
