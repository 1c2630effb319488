package dev.flyball.program.trial;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.program.trial.LikelyDuplicates.Pair;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.classify.RulesClassifier.Why;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What triage by rules makes of a tracker's items, and which of them look alike.
 *
 * @param open how many items are open
 * @param worth those that deserve an agent, the first to start first
 * @param others those that do not, by why
 * @param alike groups that look alike, the most alike first
 */
public record Trial(
    int open,
    List<Candidate> worth,
    Map<Why, List<Candidate>> others,
    List<List<Candidate>> alike) {

  /** An item and its judgement. */
  public record Candidate(ItemKey key, Snapshot snapshot, Judgement judgement) {}

  /** Why an item was skipped: by the rules, or else the reason that its state has. */
  public static String whySkipped(ItemState state) {
    Verdict verdict = state.verdict();
    String reason = state.phase() instanceof ItemPhase.Skipped skipped ? skipped.reason() : "";
    return verdict != null
            && verdict.model().equals(RulesClassifier.MODEL)
            && reason.equals(verdict.reason())
        ? RulesClassifier.why(state.snapshot()).text()
        : reason;
  }

  /** Judges items, of which those that are closed are left out. */
  public static Trial of(Map<ItemKey, Snapshot> items) {
    List<Candidate> open =
        items.entrySet().stream()
            .filter(each -> !each.getValue().closed())
            .map(each ->
                new Candidate(
                    each.getKey(), each.getValue(), RulesClassifier.judge("", each.getValue())))
            .toList();
    return new Trial(
        open.size(),
        open.stream()
            .filter(each -> each.judgement().needsDeepAnalysis())
            .sorted(
                Comparator.comparingInt((Candidate each) -> each.judgement().priority())
                    .thenComparingInt(each -> -each.judgement().complexity()))
            .toList(),
        open.stream()
            .filter(each -> !each.judgement().needsDeepAnalysis())
            .collect(Collectors.groupingBy(each -> RulesClassifier.why(each.snapshot()))),
        groups(open));
  }

  /** How often each comes, the most frequent first, equally frequent ones in their order. */
  public static <T extends Comparable<T>> Map<T, Integer> mostFrequent(Stream<T> all) {
    var counts = new TreeMap<T, Integer>();
    all.forEach(each -> counts.merge(each, 1, Integer::sum));
    return counts.entrySet().stream()
        .sorted(Map.Entry.<T, Integer>comparingByValue().reversed())
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, LinkedHashMap::new));
  }

  /** How many items look like another one. */
  public long lookAlike() {
    return alike.stream().mapToLong(List::size).sum();
  }

  /** Items that look like one another, directly or by way of a third. */
  private static List<List<Candidate>> groups(List<Candidate> open) {
    var groups = new LinkedHashMap<Integer, Set<Integer>>();
    for (Pair pair : LikelyDuplicates.among(open.stream().map(Candidate::snapshot).toList())) {
      var joined = new TreeSet<>(List.of(pair.first(), pair.second()));
      joined.addAll(groups.getOrDefault(pair.first(), Set.of()));
      joined.addAll(groups.getOrDefault(pair.second(), Set.of()));
      joined.forEach(each -> groups.put(each, joined));
    }
    return groups.values().stream()
        .distinct()
        .map(group -> group.stream().map(open::get).toList())
        .toList();
  }
}
