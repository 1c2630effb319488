package dev.flyball.scout;

import dev.flyball.contract.session.Analysis.Passage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the lines of a ranked file that contain most of the item's terms. Pure. */
record Passages(Query query, Ranking ranking) {
  static final int MAX_LINES = 16;
  private static final int MIN_LINES = 5;
  private static final int MAX_LINE = 200;

  /**
   * Lines that say what the file is about, not where it does it; comments at the left margin too.
   */
  private static final Pattern PREAMBLE =
      Pattern.compile("import |package |from |/\\*| \\*|\"\"\"");

  /**
   * Returns a file's best passages, best first. A second one is included only if it is nearly as
   * good and apart from the first.
   */
  List<Passage> of(String path, String text, int most) {
    List<String> lines = text.lines().toList();
    List<Set<Integer>> terms = termsByLine(text, lines.size());
    var found = new ArrayList<Passage>();
    Optional<Integer> mentioned = mentionedLine(path).filter(line -> line <= lines.size());
    double first = 0;
    while (found.size() < most) {
      Window best = best(lines, terms);
      if (found.isEmpty() && mentioned.isPresent()) {
        best = Window.from(mentioned.get() - 1, lines.size(), Double.MAX_VALUE);
      }
      if (best.worth() <= 0 || best.worth() < first * 0.6) {
        break;
      }
      first = Math.max(first, best.worth());
      found.add(passage(path, lines, terms, best));
      for (int i = Math.max(0, best.from() - 2); i < Math.min(lines.size(), best.to() + 2); i++) {
        terms.get(i).clear();
      }
    }
    if (found.isEmpty() && !lines.isEmpty()) {
      found.add(passage(path, lines, terms, new Window(0, Math.min(MIN_LINES, lines.size()), 0)));
    }
    return found;
  }

  /** Lines from {@code from} to before {@code to}, starting at 0. */
  private record Window(int from, int to, double worth) {
    static Window from(int from, int lines, double worth) {
      return new Window(from, Math.min(lines, from + MAX_LINES), worth);
    }

    /** Whether the item names its first line: nothing is worth more. */
    boolean named() {
      return worth == Double.MAX_VALUE;
    }
  }

  private List<Set<Integer>> termsByLine(String text, int lines) {
    List<Set<Integer>> terms = Stream.<Set<Integer>>generate(HashSet::new).limit(lines).toList();
    Set<Integer> distinctive = Set.copyOf(ranking.distinctive());
    Words.cut(
        text,
        new Words.Sink() {
          private int last = -1;

          @Override
          public void word(String word, int line, boolean first) {
            int term = query.word(word);
            mark(term, line);
            mark(query.pair(last, term), line);
            last = term;
          }

          @Override
          public void name(String joined, int line) {
            mark(query.name(joined), line);
          }

          private void mark(int term, int line) {
            // A lone carriage return ends a line for lines() but not for the cutter.
            if (term >= 0 && line <= lines && distinctive.contains(term)) {
              terms.get(line - 1).add(term);
            }
          }
        });
    return terms;
  }

  /** Begins with the line before the one that has most of the window's worth. */
  private Window best(List<String> lines, List<Set<Integer>> terms) {
    Window best = new Window(0, 0, 0);
    for (int from = 0; from < lines.size(); from++) {
      if (terms.get(from).isEmpty()) {
        continue;
      }
      Window window = Window.from(from, lines.size(), 0);
      var seen = new HashSet<Integer>();
      double worth = 0;
      int heaviest = from;
      double most = 0;
      for (int i = from; i < window.to(); i++) {
        double share = PREAMBLE.matcher(lines.get(i)).lookingAt() ? 0.1 : 1;
        double own = 0;
        for (int term : terms.get(i)) {
          own += ranking.worth(term) * share;
          worth += ranking.worth(term) * share * (seen.add(term) ? 1 : 0.15);
        }
        heaviest = own > most ? i : heaviest;
        most = Math.max(most, own);
      }
      if (worth > best.worth()) {
        best = Window.from(Math.max(0, heaviest - 1), lines.size(), worth);
      }
    }
    return best;
  }

  /** Cuts the lines after the last line with a term, and fills up to the smallest size. */
  private static Passage passage(
      String path, List<String> lines, List<Set<Integer>> terms, Window window) {
    int to = window.to();
    while (!window.named() && to > window.from() + 1 && terms.get(to - 1).isEmpty()) {
      to--;
    }
    to = Math.min(lines.size(), Math.max(window.named() ? to : to + 1, window.from() + MIN_LINES));
    int from =
        window.named() ? window.from() : Math.max(0, Math.min(window.from(), to - MIN_LINES));
    var excerpt = new StringBuilder();
    for (String line : lines.subList(from, to)) {
      String shown = line.length() > MAX_LINE ? line.substring(0, MAX_LINE) + " ..." : line;
      excerpt.append(shown.replaceAll("[\\p{Cntrl}&&[^\\t]]", "?")).append('\n');
    }
    return new Passage(path, from + 1, to, excerpt.toString());
  }

  private Optional<Integer> mentionedLine(String path) {
    String low = "/" + path.toLowerCase(Locale.ROOT);
    return query.mentions().stream()
        .filter(mention -> mention.line() > 0 && mention.means(low))
        .map(Query.Mention::line)
        .findFirst();
  }
}
