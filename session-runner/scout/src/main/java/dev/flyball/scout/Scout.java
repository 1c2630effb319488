package dev.flyball.scout;

import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.text.OneLine;
import dev.flyball.scout.ScoutAnswer.Confidence;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers one item over one repository: the same answer for the same two, unless {@code timeIsUp}
 * stops the reading.
 *
 * @param excluded folders that are never opened
 * @param timeIsUp true when no further file is to be read
 */
record Scout(Path root, List<Path> excluded, BooleanSupplier timeIsUp) {
  static final int MAX_FILES = 5;

  /** Most passages; the best file may have two. */
  static final int MAX_PASSAGES = MAX_FILES + 1;

  /** The first files, whose tests and commits are named; the most commits too. */
  private static final int FIRST = 3;

  private static final int MAX_READ = 50_000;

  private static final int MAX_FILE_BYTES = 1 << 20;

  /**
   * Ranks the files.
   *
   * @param history whether the text also names tests, and the commits that touched the first files
   * @throws IOException if the repository's folder cannot be read
   */
  ScoutAnswer answer(ScoutInput input, boolean history) throws IOException {
    var paths = new ArrayList<String>();
    RepositoryFiles files = RepositoryFiles.open(root, excluded);
    boolean stopped = !files.list(paths::add, MAX_READ, () -> false);
    String commit = RepositoryFiles.commitOf(root.toRealPath());
    Query query = Query.of(input);
    var ranking = new Ranking(query);
    paths.sort(null);
    for (String path : paths) {
      if (timeIsUp.getAsBoolean()) {
        stopped = true;
        break;
      }
      files
          .text(path, MAX_FILE_BYTES)
          .filter(text -> !isBacklog(path, text, input))
          .ifPresent(text -> ranking.add(path, text));
    }
    List<Ranking.Ranked> best = relevant(ranking.best(MAX_FILES));
    Confidence confidence = confidence(query, ranking, best);
    List<Passage> passages = passages(query, ranking, best, files);
    var text = new ScoutText(query, ranking.size(), stopped, commit);
    List<String> places = text.places(best, passages);
    String whole = text.of(best, places, confidence);
    if (history && confidence != Confidence.LOW) {
      List<String> first = best.stream().limit(FIRST).map(Ranking.Ranked::path).toList();
      var tests = new RelatedTests(paths, path -> files.text(path, MAX_FILE_BYTES), timeIsUp);
      List<String> commits = RepositoryFiles.commitsOf(root.toRealPath(), first, FIRST);
      whole += ScoutText.list("Related tests", tests.of(first));
      whole += ScoutText.list("Recent commits of the first files", commits);
    }
    return new ScoutAnswer(whole, places, passages, commit, confidence);
  }

  /**
   * Whether the file contains the item itself: such a file has all of its words and is not its
   * subject.
   */
  private static boolean isBacklog(String path, String text, ScoutInput input) {
    String id = input.item().substring(input.item().lastIndexOf('/') + 1);
    return FileKind.of(path) == FileKind.DATA
        && ((id.length() >= 4 && text.contains(id))
            || (!input.title().isBlank() && text.contains(input.title())));
  }

  /** Drops what is far behind the best: five files are a limit, not a quota. */
  private static List<Ranking.Ranked> relevant(List<Ranking.Ranked> best) {
    return best.stream()
        .filter(file -> file.named() || file.score() >= best.getFirst().score() * 0.2)
        .toList();
  }

  private static Confidence confidence(Query query, Ranking ranking, List<Ranking.Ranked> best) {
    if (best.isEmpty()) {
      return Confidence.LOW;
    }
    Ranking.Ranked first = best.getFirst();
    if (first.named()) {
      return Confidence.HIGH;
    }
    boolean phrase =
        first.matched().stream()
            .anyMatch(term -> query.terms().get(term).kind() != Query.Kind.WORD);
    if (first.matched().size() < 3 || first.share() < (phrase ? 0.2 : 0.3)) {
      return Confidence.LOW;
    }
    boolean apart = best.size() < 2 || first.score() > best.get(1).score() * 1.3;
    return first.share() >= 0.55 && apart && ranking.distinctive().size() >= 5
        ? Confidence.HIGH
        : Confidence.MEDIUM;
  }

  private static List<Passage> passages(
      Query query, Ranking ranking, List<Ranking.Ranked> best, RepositoryFiles files) {
    var finder = new Passages(query, ranking);
    var all = new ArrayList<Passage>();
    for (Ranking.Ranked file : best) {
      files
          .text(file.path(), MAX_FILE_BYTES)
          .ifPresent(text -> all.addAll(finder.of(file.path(), text, all.isEmpty() ? 2 : 1)));
    }
    return List.copyOf(all);
  }

  /**
   * The answer as a person reads it. It begins with what it is: a ranking by words.
   *
   * @param read files read
   * @param stopped whether there were more files than the limits allow
   */
  private record ScoutText(Query query, int read, boolean stopped, @Nullable String commit) {
    private static final int MAX_WORDS = 6;

    String of(List<Ranking.Ranked> best, List<String> places, Confidence confidence) {
      var text =
          new StringBuilder(
              "Scout's ranking by words. No model read this item; nothing here was understood or"
                  + (" verified.\nRead " + read + " files of "));
      text.append(
          commit == null ? "a folder without a commit" : "the working tree at commit " + commit);
      text.append(stopped ? "; there were more than its limits allow.\n" : ".\n");
      text.append(verdict(best, confidence)).append("\n\n");
      for (int place = 0; place < places.size(); place++) {
        text.append(place + 1).append(". ").append(places.get(place)).append('\n');
      }
      return text.toString().stripTrailing() + "\n";
    }

    /** The files, each with its lines and, in a line below, why it is there. */
    List<String> places(List<Ranking.Ranked> best, List<Passage> passages) {
      return best.stream()
          .map(file -> OneLine.of(file.path()) + lines(file, passages) + "\n   " + why(file))
          .toList();
    }

    /** A further part of the answer; nothing if it is empty. */
    static String list(String title, List<String> lines) {
      String all = lines.stream().map(OneLine::of).collect(Collectors.joining("\n- "));
      return all.isEmpty() ? "" : "\n" + title + ":\n- " + all + "\n";
    }

    private static String verdict(List<Ranking.Ranked> best, Confidence confidence) {
      if (best.isEmpty()) {
        return "No file stands out: none shares a distinctive word with the item.";
      }
      return switch (confidence) {
        case HIGH -> "Confidence high: " + OneLine.of(best.getFirst().path()) + " stands out.";
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
}
