package dev.flyball.triage.classify;

import dev.flyball.contract.item.Snapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges by countable signs in the text; deterministic, no model, no cost. The table of signs and
 * points is docs/triage.md. It is selective: a session is for a defect that says where and how it
 * fails, or is urgent, or is marked as wanted.
 */
public final class RulesClassifier implements Classifier {
  /** Named in every verdict; grows when the scoring changes. */
  public static final String MODEL = "rules/3";

  /** Points from which an item deserves a session. */
  static final int ENOUGH = 7;

  @Override
  public String model() {
    return MODEL;
  }

  @Override
  public Answer classify(String call, List<Question> batch) {
    return new Answer(
        batch.stream().map(question -> judge(question.id(), question.snapshot())).toList(), 0, 0);
  }

  /** The judgement of one item. */
  public static Judgement judge(String id, Snapshot snapshot) {
    List<TriageRule> found = TriageRule.in(snapshot);
    int points = found.stream().mapToInt(TriageRule::points).sum();
    boolean deep = points >= ENOUGH;
    return new Judgement(
        id,
        deep,
        complexity(points),
        PathWords.in(snapshot),
        priority(snapshot, found),
        reason(points, deep, found));
  }

  /** Why an item deserves no session. */
  public static Why why(Snapshot snapshot) {
    return Why.of(TriageRule.in(snapshot));
  }

  private static int complexity(int points) {
    return points < 2 ? 1 : points < 5 ? 2 : points < ENOUGH ? 3 : points < 10 ? 4 : 5;
  }

  /** The tracker's own priority, one step up for an item with a stack trace. */
  private static int priority(Snapshot snapshot, List<TriageRule> found) {
    int own = Math.clamp(snapshot.priority(), 1, 9);
    return found.contains(TriageRule.STACK_TRACE) ? Math.max(1, own - 1) : own;
  }

  private static String reason(int points, boolean deep, List<TriageRule> found) {
    String signs = found.stream().map(each -> ", " + each).collect(Collectors.joining());
    String scored = points + " of " + ENOUGH + " points" + signs;
    return deep ? "worth an agent: " + scored : Why.of(found).text + " (" + scored + ")";
  }

  /** Why an item deserves no session, the first that holds. */
  public enum Why {
    UNWANTED("tagged no-analysis, wontfix, duplicate or invalid"),
    TRIVIAL("trivial: a typo, a rename, a version bump"),
    SHORT("too short: fewer than 20 words"),
    VAGUE("vague, with no name from the code"),
    NO_DEFECT("no sign of a defect: no trace, no steps, no words of failure"),
    NO_PLACE("no place: no path and no name from the code"),
    TOO_LITTLE("says too little of where and how it fails");

    private final String text;

    Why(String text) {
      this.text = text;
    }

    /** For a person. */
    public String text() {
      return text;
    }

    private static Why of(List<TriageRule> signs) {
      if (signs.contains(TriageRule.UNWANTED)) {
        return UNWANTED;
      }
      if (signs.contains(TriageRule.TRIVIAL)) {
        return TRIVIAL;
      }
      if (!signs.contains(TriageRule.DESCRIBED)) {
        return SHORT;
      }
      if (signs.contains(TriageRule.VAGUE)) {
        return VAGUE;
      }
      boolean defect =
          signs.contains(TriageRule.STACK_TRACE)
              || signs.contains(TriageRule.REPRODUCTION)
              || signs.contains(TriageRule.ERROR_WORDS);
      boolean place = signs.contains(TriageRule.PATHS) || signs.contains(TriageRule.IDENTIFIERS);
      return !defect ? NO_DEFECT : !place ? NO_PLACE : TOO_LITTLE;
    }
  }

  /** What the rules search for, with points. A test checks docs/triage.md against this table. */
  public enum TriageRule {
    DESCRIBED(1, "20 words or more", t -> t.words >= 20),
    DETAILED(1, "300 characters or more", t -> t.all.length() >= 300),
    IDENTIFIERS(
        2,
        "names from code: fooBar, foo_bar, Foo.bar, foo()",
        t -> Text.CODE.matcher(t.all).find()),
    PATHS(2, "a path or a source file's name", t -> !PathWords.in(t.all).isEmpty()),
    STACK_TRACE(3, "a stack trace", t -> Text.TRACE.matcher(t.all).find()),
    ERROR_WORDS(
        1,
        "words of failure: error, exception, crash, fails, hangs, leak ...",
        t -> t.hasAny(Text.FAILURE)),
    REPRODUCTION(2, "steps, expected or actual", t -> t.hasAny(Text.STEPS)),
    DEFECT(1, "type or tag bug, defect, incident or regression", Text::isDefect),
    URGENT(2, "priority 0 or 1", t -> t.snapshot.priority() <= 1),
    WANTED(9, "tag needs-analysis", t -> t.tagged("needs-analysis", "deep-analysis")),
    UNWANTED(
        -30,
        "tag no-analysis, wontfix, duplicate or invalid",
        t -> t.tagged("no-analysis", "wontfix", "duplicate", "invalid")),
    TRIVIAL(-4, "trivial: typo, spelling, wording, version bump", t -> t.titleHas(Text.SMALL)),
    VAGUE(
        -2,
        "vague: maybe, somehow, nice to have ... and no names from code",
        t -> t.hasAny(Text.UNSURE) && !Text.CODE.matcher(t.all).find());

    private final int points;
    private final String meaning;
    private final Predicate<Text> test;

    TriageRule(int points, String meaning, Predicate<Text> test) {
      this.points = points;
      this.meaning = meaning;
      this.test = test;
    }

    int points() {
      return points;
    }

    String meaning() {
      return meaning;
    }

    /** Every sign that an item shows, in this order. */
    public static List<TriageRule> in(Snapshot snapshot) {
      Text text = Text.of(snapshot);
      return Arrays.stream(values()).filter(sign -> sign.test.test(text)).toList();
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The item's words, read once. */
    private record Text(Snapshot snapshot, String title, String all, Set<String> set, int words) {
      // Finds only whether there is such a name. Each part begins near its end, because a text of
      // one long word (a hex dump) would otherwise take the square of its length: 4 s for 16 KiB.
      static final Pattern CODE =
          Pattern.compile(
              "[a-z][0-9]*+[A-Z]|[A-Z][0-9]++[A-Z]|\\w_\\w|[A-Za-z][0-9_]*+\\(\\)|[A-Za-z]\\w{1,80}\\.[A-Za-z]\\w{1,80}\\(|`[^`\\s]++`");
      static final Pattern TRACE =
          Pattern.compile(
              "\\bat [\\w$.]+\\([\\w.]+:\\d+\\)|Traceback \\(most recent|\\bCaused by: \\w|panicked"
                  + " at ");
      static final Set<String> FAILURE =
          words(
              "error errors exception exceptions crash crashes crashed fail fails failed failure"
                  + " broken hang hangs leak leaks deadlock timeout timeouts wrong regression"
                  + " corrupt corrupted lost slow bug stuck race cannot refused missing incorrect"
                  + " unexpected invalid");
      static final Set<String> STEPS = words("reproduce expected actual steps observed repro");
      static final Set<String> SMALL = words("typo typos spelling wording bump rename whitespace");
      static final Set<String> UNSURE =
          words("maybe somehow someday nice-to-have whatever etc perhaps brainstorm");
      static final Pattern DEFECTS =
          Pattern.compile(
              "(?i)^(?:(?:kind|type|t)\\s*[:/]\\s*)?(?:bug|defect|incident|regression)$");
      private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}_-]+");

      private static Set<String> words(String separatedByBlanks) {
        return Set.of(separatedByBlanks.split(" "));
      }

      static Text of(Snapshot snapshot) {
        String all = snapshot.title() + "\n" + snapshot.text();
        List<String> words =
            BETWEEN.splitAsStream(all.toLowerCase(Locale.ROOT)).filter(w -> !w.isEmpty()).toList();
        return new Text(
            snapshot,
            snapshot.title().toLowerCase(Locale.ROOT),
            all,
            Set.copyOf(words),
            words.size());
      }

      boolean hasAny(Set<String> wanted) {
        return wanted.stream().anyMatch(set::contains);
      }

      boolean titleHas(Set<String> wanted) {
        return BETWEEN.splitAsStream(title).anyMatch(wanted::contains);
      }

      /** GitHub has labels for it, which some write as {@code kind/bug} or {@code type: bug}. */
      boolean isDefect() {
        return Stream.concat(Stream.of(snapshot.type()), snapshot.tags().stream())
            .anyMatch(each -> DEFECTS.matcher(each).find());
      }

      boolean tagged(String... tags) {
        return snapshot.tags().stream()
            .map(tag -> tag.toLowerCase(Locale.ROOT))
            .anyMatch(Arrays.asList(tags)::contains);
      }
    }
  }

  /** Finds text that may name places in a repository: files and paths, never web addresses. */
  private static final class PathWords {
    private static final int MOST = 8;
    private static final Pattern URL = Pattern.compile("\\b[a-z]{2,10}://\\S+");
    private static final Pattern PATH =
        Pattern.compile(
            "(?<![\\w/.-])(?:[\\w-]{1,60}/){1,12}[\\w.-]{1,80}(?<!\\.)"
                + "|\\b[\\w-]{1,80}\\.(?:java|kt|scala|py|go|rs|ts|tsx|js|jsx|c|h|cpp|cs|rb|php|sql|sh|yaml|yml|xml|json|md|html|css)\\b");

    private PathWords() {}

    static List<String> in(Snapshot snapshot) {
      return in(snapshot.title() + "\n" + snapshot.text());
    }

    /** The first eight distinct ones, in the order of the text. */
    static List<String> in(String text) {
      return PATH.matcher(URL.matcher(text).replaceAll(" "))
          .results()
          .map(MatchResult::group)
          .filter(PathWords::likely)
          .distinct()
          .limit(MOST)
          .toList();
    }

    /** "and/or", "1/2", "w/o" are no paths. */
    private static boolean likely(String word) {
      String[] parts = word.split("/");
      if (parts.length == 1) {
        return true;
      }
      boolean named = false;
      for (String part : parts) {
        named |= part.length() >= 4 && Character.isLetter(part.charAt(0));
      }
      return named
          && (parts.length > 2 || word.contains(".") || word.contains("-") || word.contains("_"));
    }
  }
}
