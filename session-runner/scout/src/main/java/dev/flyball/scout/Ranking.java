package dev.flyball.scout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * BM25F over the terms of one query. Each file's text and path are two fields, and a name that the
 * file declares is a third. There is no index, because each process answers one item: only the
 * query's terms are counted, in one pass. Deterministic: equal scores are ordered by path.
 */
final class Ranking {
  private static final double K1 = 1.2;
  private static final double B_TEXT = 0.5;
  private static final double PATH = 5;
  private static final double DECLARED = 3;

  /** The extra score of a file that the item names; words alone cannot reach it. */
  private static final double NAMED = 60;

  private static final int MAX_WEIGHED = 60;

  /** The share of a long item is measured by this many terms: a file need not have the rest. */
  private static final int MOST_DISTINCTIVE = 12;

  private static final Set<String> DECLARES =
      FileKind.words("class interface record enum struct trait def func fn function type");

  private final Query query;
  private final List<Counted> files = new ArrayList<>();
  private final int[] seenIn;

  Ranking(Query query) {
    this.query = query;
    this.seenIn = new int[query.terms().size()];
  }

  /**
   * One file's counts, only of the terms that it contains, because there may be 50,000 files and
   * 400 terms.
   */
  private record Counted(String path, int[] terms, float[] weights, int length) {}

  /**
   * A ranked file.
   *
   * @param matched numbers of the terms found in it, the most distinctive first
   * @param share how much of the item's most distinctive terms it contains, 0 to 1
   * @param named whether the item names it
   */
  record Ranked(String path, double score, List<Integer> matched, double share, boolean named) {}

  void add(String path, String text) {
    var counts = new Counts();
    Words.cut(text, counts);
    int length = counts.length;
    counts.enterPath();
    Words.cut(path, counts);
    int[] terms =
        IntStream.range(0, seenIn.length).filter(term -> counts.weights[term] > 0).toArray();
    var weights = new float[terms.length];
    for (int i = 0; i < terms.length; i++) {
      weights[i] = counts.weights[terms[i]];
      seenIn[terms[i]]++;
    }
    files.add(new Counted(path, terms, weights, length));
  }

  int size() {
    return files.size();
  }

  /** How distinctive a term is, weighted with its stress in the item. */
  double worth(int term) {
    double idf = Math.log(1 + (files.size() - seenIn[term] + 0.5) / (seenIn[term] + 0.5));
    double stress = query.terms().get(term).weight();
    return idf * stress * 4 / (stress + 3);
  }

  /**
   * Terms found in any file, the most distinctive first; a long item is cut to its most distinctive
   * ones.
   */
  List<Integer> distinctive() {
    return IntStream.range(0, seenIn.length)
        .filter(term -> seenIn[term] > 0)
        .boxed()
        .sorted(
            Comparator.comparingDouble((Integer term) -> -worth(term))
                .thenComparingInt(term -> term))
        .limit(MAX_WEIGHED)
        .toList();
  }

  List<Ranked> best(int most) {
    List<Integer> distinctive = distinctive();
    double all = distinctive.stream().limit(MOST_DISTINCTIVE).mapToDouble(this::worth).sum();
    double meanLength = files.stream().mapToInt(Counted::length).average().orElse(1);
    return files.stream()
        .map(file -> score(file, distinctive, all, Math.max(1, meanLength)))
        .filter(file -> file.score() > 0)
        .sorted(
            Comparator.comparingDouble((Ranked file) -> -file.score()).thenComparing(Ranked::path))
        .limit(most)
        .toList();
  }

  private Ranked score(Counted file, List<Integer> distinctive, double all, double meanLength) {
    double norm = K1 * (1 - B_TEXT + B_TEXT * file.length() / meanLength);
    double sum = 0;
    double has = 0;
    var matched = new ArrayList<Integer>();
    for (int place = 0; place < distinctive.size(); place++) {
      int term = distinctive.get(place);
      int at = Arrays.binarySearch(file.terms(), term);
      if (at >= 0) {
        double count = file.weights()[at];
        sum += worth(term) * count * (K1 + 1) / (count + norm);
        has += place < MOST_DISTINCTIVE ? worth(term) : 0;
        matched.add(term);
      }
    }
    double share = all == 0 ? 0 : has / all;
    double named = named(file.path());
    double score = sum * (0.4 + 0.6 * share) * FileKind.of(file.path()).weight() + named;
    return new Ranked(file.path(), score, List.copyOf(matched), share, named >= NAMED / 4);
  }

  /** The score that the item's mentions of files and folders add for a path. */
  private double named(String path) {
    String low = "/" + path.toLowerCase(Locale.ROOT);
    int dot = low.lastIndexOf('.');
    String stem = dot > low.lastIndexOf('/') ? low.substring(0, dot) : low;
    double most = 0;
    for (Query.Mention mention : query.mentions()) {
      String wanted = mention.path();
      if (wanted.endsWith("/")) {
        most = Math.max(most, low.contains("/" + wanted) ? NAMED / 10 : 0);
      } else if (wanted.endsWith(".*")) {
        most =
            Math.max(
                most, stem.endsWith("/" + wanted.substring(0, wanted.length() - 2)) ? NAMED : 0);
      } else if (mention.means(low)) {
        most = Math.max(most, NAMED);
      }
    }
    String base = Words.joined(stem.substring(stem.lastIndexOf('/') + 1));
    int name = query.name(base);
    return name < 0 ? most : Math.max(most, NAMED / 4 + worth(name));
  }

  /**
   * The counts of one file. Words of its path weigh more, and so do words of a name that it
   * declares.
   */
  private final class Counts implements Words.Sink {
    private final float[] weights = new float[query.terms().size()];
    private int length;
    private int last = -1;
    private float weight = 1;
    private boolean declares;
    private boolean inPath;

    void enterPath() {
      inPath = true;
      weight = (float) PATH;
      last = -1;
    }

    @Override
    public void word(String word, int line, boolean first) {
      length++;
      if (first && !inPath) {
        weight = declares ? (float) DECLARED : 1;
        declares = DECLARES.contains(word);
      }
      int term = query.word(word);
      count(term);
      count(query.pair(last, term));
      last = term;
    }

    @Override
    public void name(String joined, int line) {
      count(query.name(joined));
    }

    private void count(int term) {
      if (term >= 0) {
        weights[term] += weight;
      }
    }
  }
}
