package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Route;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The side of a runner that the ledger's thread calls. No method waits. */
public interface RunnerCallbacks {

  /** The constant part of this runner's entries and claims. */
  Self self();

  /** This runner's gate. */
  Gate gate();

  /** What this runner declines although its gate is open. */
  default Declines declines() {
    return Declines.NONE;
  }

  /** Starts a session on a separate thread. */
  void begin(Session session);

  /** Takes a request that cannot be read, with the reason. */
  void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason);

  /**
   * The constant part of a runner's entries and claims.
   *
   * @param level containment level
   * @param reserves what a claim of each profile that this runner has holds back, in micro-dollars
   */
  record Self(String id, String level, int slots, Map<String, Long> reserves) {
    public Self {
      reserves = Map.copyOf(reserves);
    }

    /** Whether it has the agent of this name. */
    boolean has(String profile) {
      return reserves.containsKey(profile);
    }

    /** What a claim of this profile holds back, in micro-dollars. */
    long reserveMicros(String profile) {
      return reserves.getOrDefault(profile, 0L);
    }

    /** The profiles besides the default one, as its entries name them; null for none. */
    @Nullable List<String> furtherProfiles() {
      List<String> further =
          reserves.keySet().stream().filter(name -> !name.equals(Route.DEFAULT)).sorted().toList();
      return further.isEmpty() ? null : further;
    }
  }

  /** Requests that this runner does not claim, by its faults and settings; never waits. */
  interface Declines {
    /** Nothing is declined. */
    Declines NONE = new Declines() {};

    /** Whether this request, and all like it of its source, are not claimed now. */
    default boolean declines(Waiting request) {
      return false;
    }

    /** Whether this request is to be claimed only if no other can be. */
    default boolean lastResort(Waiting request) {
      return false;
    }

    /**
     * Called in every turn with what waits.
     *
     * @return what this runner's entry says it declines
     */
    default List<LedgerEntry.Decline> turn(List<RequestIndex.Group> waiting) {
      return List.of();
    }
  }

  /** The runner's own gate, as the ledger's thread calls it: from memory, without waiting. */
  interface Gate {

    /** Why no session may start now, with this many that hold slots; empty if one may. */
    Optional<GateRefusal> refusal(int live);

    /** Slots that processes of earlier sessions take away, because they cannot be ended. */
    default int unkillable() {
      return 0;
    }

    /**
     * Records whether the global cap stops this runner's claims now. It is called in every turn,
     * and reports only a change.
     */
    default void capped(boolean stopped, int cap) {}
  }
}
