package dev.flyball.triage.classify;

import dev.flyball.contract.triage.Verdict;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How the verdicts of another configuration differ from what was decided.
 *
 * @param compared one for each item whose newest snapshot both judged
 * @param undecided items whose newest change has no verdict yet, with its revision; not compared
 * @param sessionMicros what completed sessions of these items cost, in micro-dollars
 */
public record ShadowComparison(
    List<Compared> compared, Map<String, String> undecided, List<Long> sessionMicros) {
  public ShadowComparison {
    compared = List.copyOf(compared);
    undecided = Collections.unmodifiableMap(new TreeMap<>(undecided));
    sessionMicros = List.copyOf(sessionMicros);
  }

  /** Two judgements of an item's newest snapshot. */
  public record Compared(String item, String revision, Verdict decided, Verdict other) {
    boolean both(boolean decided, boolean other) {
      return this.decided.needsDeepAnalysis() == decided && this.other.needsDeepAnalysis() == other;
    }
  }

  /**
   * How many snapshots got these two verdicts.
   *
   * @param decided whether triage decided for a session
   * @param other whether the other configuration would
   */
  public int count(boolean decided, boolean other) {
    return (int) compared.stream().filter(each -> each.both(decided, other)).count();
  }

  /** The snapshots whose verdicts differ, by item. */
  public List<Compared> changed() {
    return compared.stream()
        .filter(each -> each.both(true, false) || each.both(false, true))
        .sorted(Comparator.comparing(Compared::item))
        .toList();
  }

  /** Sessions that the other configuration saves; negative if it adds some. */
  public int sessionsSaved() {
    return count(true, false) - count(false, true);
  }

  /** Triage calls that judged compared snapshots, perhaps beside others. */
  public int decidedCalls() {
    return calls(each -> each.decided().batch());
  }

  /** Triage calls of the shadow run. */
  public int otherCalls() {
    return calls(each -> each.other().batch());
  }

  /** What the decisions cost, in micro-dollars. */
  public long decidedMicros() {
    return compared.stream().mapToLong(each -> each.decided().costMicros()).sum();
  }

  /** What the shadow run cost, in micro-dollars. */
  public long otherMicros() {
    return compared.stream().mapToLong(each -> each.other().costMicros()).sum();
  }

  /** The median cost of a completed session, in micro-dollars; empty if none is known. */
  public Optional<Long> medianSessionMicros() {
    List<Long> sorted = sessionMicros.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.isEmpty()
        ? Optional.empty()
        : Optional.of(
            sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2);
  }

  /** What the saved sessions would have cost by the median; negative if sessions are added. */
  public Optional<Long> savedMicros() {
    return sessionsSaved() == 0
        ? Optional.of(0L)
        : medianSessionMicros().map(median -> median * sessionsSaved());
  }

  private int calls(Function<Compared, String> batch) {
    return (int) compared.stream().map(batch).filter(id -> !id.isEmpty()).distinct().count();
  }
}
