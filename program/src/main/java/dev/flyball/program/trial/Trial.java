package dev.flyball.program.trial;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.scout.Stems;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.classify.RulesClassifier.Why;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
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
    for (LikelyDuplicates.Pair pair :
        LikelyDuplicates.among(open.stream().map(Candidate::snapshot).toList())) {
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

  /**
   * Finds items whose texts look alike: by the stems of the words that they share, of which a rare
   * one counts more than a common one (the cosine of their tf-idf vectors).
   */
  static final class LikelyDuplicates {
    /** From this cosine on, two items look alike. */
    static final double ALIKE = 0.45;

    /** Items with fewer different words say too little to be compared. */
    private static final int LEAST_WORDS = 4;

    /** A word counts as rare as in a list of this size: in a short one all words are. */
    private static final int LEAST_ITEMS = 1_000;

    /** Characters of a text that are read: a pasted log would drown what is said of it. */
    private static final int LOOKED_AT = 2_000;

    private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}_]+");

    private LikelyDuplicates() {}

    /**
     * Two items that look alike, by their places in the list.
     *
     * @param likeness 0 to 1
     */
    record Pair(int first, int second, double likeness) {}

    /** All pairs that look alike, the most alike first. */
    static List<Pair> among(List<Snapshot> items) {
      List<Map<String, Double>> vectors = vectors(items);
      var holders = new HashMap<String, List<Integer>>();
      var pairs = new ArrayList<Pair>();
      for (int item = 0; item < items.size(); item++) {
        var alike = new HashMap<Integer, Double>();
        Map<String, Double> own = vectors.get(item);
        own.forEach((word, weight) -> {
          for (int other : holders.getOrDefault(word, List.of())) {
            alike.merge(other, weight * vectors.get(other).getOrDefault(word, 0.0), Double::sum);
          }
        });
        int second = item;
        alike.forEach((first, cosine) -> {
          if (cosine >= ALIKE) {
            pairs.add(new Pair(first, second, Math.min(1, cosine)));
          }
        });
        own.keySet()
            .forEach(word -> holders.computeIfAbsent(word, _ -> new ArrayList<>()).add(second));
      }
      pairs.sort(
          Comparator.comparingDouble(Pair::likeness)
              .reversed()
              .thenComparingInt(Pair::first)
              .thenComparingInt(Pair::second));
      return pairs;
    }

    /** Each item's words with their weights, of length 1. */
    private static List<Map<String, Double>> vectors(List<Snapshot> items) {
      List<Map<String, Integer>> counted = items.stream().map(LikelyDuplicates::counted).toList();
      var holders = new HashMap<String, Integer>();
      counted.forEach(
          words -> words.keySet().forEach(word -> holders.merge(word, 1, Integer::sum)));
      return counted.stream()
          .map(words -> {
            var weights = new HashMap<String, Double>();
            if (words.size() >= LEAST_WORDS) {
              words.forEach((word, count) -> {
                double rarity =
                    Math.log(
                        (double) Math.max(items.size(), LEAST_ITEMS)
                            / holders.getOrDefault(word, 1));
                weights.put(word, (1 + Math.log(count)) * rarity);
              });
            }
            double length = Math.sqrt(weights.values().stream().mapToDouble(w -> w * w).sum());
            weights.replaceAll((_, weight) -> weight / length);
            return Map.copyOf(weights);
          })
          .toList();
    }

    private static Map<String, Integer> counted(Snapshot item) {
      String text = item.description();
      String all = item.title() + "\n" + text.substring(0, Math.min(LOOKED_AT, text.length()));
      var stems = new Stems();
      var words = new HashMap<String, Integer>();
      BETWEEN
          .splitAsStream(all.toLowerCase(Locale.ROOT))
          .map(stems::of)
          .filter(stem -> !stem.equals(Stems.NOTHING))
          .forEach(stem -> words.merge(stem, 1, Integer::sum));
      return words;
    }
  }
}
