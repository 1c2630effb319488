package dev.flyball.scout;

import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.scout.ScoutAnswer.Confidence;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer as a person reads it. It begins with what it is: a ranking by words.
 *
 * @param read files read
 * @param stopped whether there were more files than the limits allow
 */
record ScoutText(Query query, int read, boolean stopped, @Nullable String commit) {
  private static final int MAX_WORDS = 6;

  String of(List<Ranking.Ranked> best, List<Passage> passages, Confidence confidence) {
    var text = new StringBuilder();
    text.append(
        "Scout's ranking by words. No model read this item; nothing here was understood or"
            + " verified.\n");
    text.append("Read ").append(read).append(" files of ");
    text.append(
        commit == null ? "a folder without a commit" : "the working tree at commit " + commit);
    text.append(stopped ? "; there were more than its limits allow.\n" : ".\n");
    text.append(verdict(best, confidence)).append("\n\n");
    int place = 1;
    for (Ranking.Ranked file : best) {
      text.append(place++).append(". ").append(file.path()).append(lines(file, passages));
      text.append("\n   ").append(why(file)).append('\n');
    }
    return text.toString().stripTrailing() + "\n";
  }

  private static String verdict(List<Ranking.Ranked> best, Confidence confidence) {
    if (best.isEmpty()) {
      return "No file stands out: none shares a distinctive word with the item.";
    }
    return switch (confidence) {
      case HIGH -> "Confidence high: " + best.getFirst().path() + " stands out.";
      case MEDIUM ->
          "Confidence medium: these files share words with the item; start with the first.";
      case LOW ->
          "Confidence low: no file stands out. The files below share only a word or two with the"
              + " item.";
    };
  }

  private static String lines(Ranking.Ranked file, List<Passage> passages) {
    Optional<Passage> first =
        passages.stream().filter(passage -> passage.path().equals(file.path())).findFirst();
    return first.map(passage -> ":" + passage.fromLine() + "-" + passage.toLine()).orElse("");
  }

  private String why(Ranking.Ranked file) {
    List<String> words =
        file.matched().stream()
            .limit(MAX_WORDS)
            .map(term -> query.terms().get(term).shown())
            .toList();
    String shared = words.isEmpty() ? "" : "shares: " + String.join(", ", words);
    return file.named() ? "the item names it" + (shared.isEmpty() ? "" : "; " + shared) : shared;
  }
}
