package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of one change in the ledgers of several pools. A ledger that fails does not keep the
 * others from being changed: an emergency stop has to stop all that it can, and to say what it
 * could not.
 *
 * @param states the ledgers that answered, right after the change, by pool
 * @param unchanged why nothing was changed, by pool
 * @param failed those that did not answer, by pool
 */
public record PoolChanges(
    Map<String, LedgerState> states,
    Map<String, String> unchanged,
    Map<String, RuntimeException> failed) {

  /**
   * Makes the change in each pool, one after another.
   *
   * @param patience how long each ledger may take to answer
   * @throws RuntimeException as {@link OperatorEntries#change(ScopeChange, String, String)} if no
   *     ledger answers
   */
  public static PoolChanges make(
      KafkaClients clients,
      Duration patience,
      List<String> pools,
      ScopeChange change,
      String who,
      String why) {
    var made = new PoolChanges(new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
    for (String pool : pools) {
      try {
        made.add(pool, new OperatorEntries(clients.in(pool), patience).change(change, who, why));
      } catch (RuntimeException e) {
        made.failed.put(pool, e);
      }
    }
    if (made.states.isEmpty()) {
      throw worst(List.copyOf(made.failed.values()));
    }
    return made;
  }

  private void add(String pool, OperatorEntries.Answer answer) {
    states.put(pool, answer.state());
    if (answer instanceof OperatorEntries.Answer.WithoutEffect it) {
      unchanged.put(pool, it.why());
    }
  }

  /** A change that may be in a ledger is what the operator has to hear of first. */
  private static RuntimeException worst(List<RuntimeException> failures) {
    RuntimeException worst =
        failures.stream()
            .filter(each -> each instanceof NoAnswer it && it.perhapsWritten())
            .findFirst()
            .orElse(failures.getFirst());
    failures.stream().filter(each -> !each.equals(worst)).forEach(worst::addSuppressed);
    return worst;
  }

  /** Whether it took effect in every pool. */
  public boolean everywhere() {
    return unchanged.isEmpty() && failed.isEmpty();
  }

  /** Whether it took effect in some pool. */
  public boolean anywhere() {
    return unchanged.size() < states.size();
  }

  /** In which pools it did not take effect and why, one line; empty if there is none. */
  public Optional<String> missing() {
    boolean one = states.size() + failed.size() == 1;
    String line =
        Stream.concat(
                unchanged.entrySet().stream(),
                failed.entrySet().stream()
                    .map(each ->
                        Map.entry(each.getKey(), String.valueOf(each.getValue().getMessage()))))
            .map(each -> one ? each.getValue() : "pool " + each.getKey() + ": " + each.getValue())
            .collect(Collectors.joining("; "));
    return Optional.of(line).filter(it -> !it.isEmpty());
  }
}
