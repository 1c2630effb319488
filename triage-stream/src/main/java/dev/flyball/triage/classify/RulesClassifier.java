package dev.flyball.triage.classify;

import dev.flyball.contract.item.Snapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges by countable signs in the text; deterministic, no model, no cost. The table of signs and
 * points is docs/triage.md. A session is for a defect that says how it fails, or is urgent, or is
 * marked as wanted; wishes, questions and chores are not.
 */
public final class RulesClassifier implements Classifier {
  /** Named in every verdict; grows when the scoring changes. */
  public static final String MODEL = "rules/4";

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
    boolean wanted = found.contains(TriageRule.WANTED);
    // A sign of doubt takes a few points, unwanted takes many.
    int points =
        found.stream().mapToInt(TriageRule::points).filter(p -> !wanted || p > 0 || p < -9).sum();
    boolean deep = points >= ENOUGH;
    return new Judgement(
        id,
        deep,
        complexity(points),
        PathWords.in(snapshot.title() + "\n" + snapshot.text()),
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

  /** Why an item deserves no session, the first of which it shows a sign. */
  public enum Why {
    UNWANTED("tagged no-analysis, wontfix, duplicate or invalid", TriageRule.UNWANTED),
    TRIVIAL("trivial: a typo, a rename, a version bump", TriageRule.TRIVIAL),
    WISH("a wish, a question or a chore", TriageRule.WISH),
    SHORT("too short: fewer than 15 different words", TriageRule.SHORT),
    VAGUE("vague, with no number, steps or names from code", TriageRule.VAGUE),
    NO_DEFECT(
        "no sign of a defect: no tag of one, no failing title, no steps", TriageRule.DOUBTFUL),
    TOO_LITTLE("says too little of how it fails", null);

    private final String text;
    private final @Nullable TriageRule sign;

    Why(String text, @Nullable TriageRule sign) {
      this.text = text;
      this.sign = sign;
    }

    /** For a person. */
    public String text() {
      return text;
    }

    private static Why of(List<TriageRule> signs) {
      return Arrays.stream(values())
          .filter(each -> each.sign == null || signs.contains(each.sign))
          .findFirst()
          .orElse(TOO_LITTLE);
    }
  }

  /** What the rules search for, with points. A test checks docs/triage.md against this table. */
  public enum TriageRule {
    DESCRIBED(2, "15 different words or more", t -> t.words >= 15),
    SHORT(-1, "fewer than 15 different words", t -> t.words < 15),
    FIGURES(1, "a number or quoted words", t -> t.has(Text.FIGURE)),
    IDENTIFIERS(2, "names from code: fooBar, foo_bar, Foo.bar, foo()", t -> t.has(Text.CODE)),
    PATHS(2, "a path or a source file's name", t -> !PathWords.in(t.all).isEmpty()),
    STACK_TRACE(3, "a stack trace", t -> t.has(Text.TRACE)),
    FAILING_TITLE(2, "the title has words of failure", t -> t.titleHas(Text.FAILURE)),
    FAILURE(
        1,
        "words of failure: does not, cannot, wrong, instead of, twice, lost, hangs, crash, 500 ...",
        t -> t.has(Text.FAILURE)),
    REPRODUCTION(2, "steps, expected or actual", t -> t.has(Text.STEPS)),
    REGRESSION(
        1, "since when: since 2.3, after the upgrade, no longer, worked", t -> t.has(Text.SINCE)),
    CONTRAST(1, "what is right: but, although, should be, works, correct", t -> t.has(Text.RIGHT)),
    CONDITION(1, "when it fails: when, if, while, after, every, only", t -> t.has(Text.WHEN)),
    DOUBTFUL(
        -3,
        "no tag of a defect, and no failure in the title, steps or stack trace",
        t ->
            !t.marked(Text.DEFECTS)
                && !t.titleHas(Text.FAILURE)
                && !t.has(Text.STEPS)
                && !t.has(Text.TRACE)),
    DEFECT(3, "type or tag bug, defect, incident or regression", t -> t.marked(Text.DEFECTS)),
    URGENT(2, "priority 0 or 1", t -> t.snapshot.priority() <= 1),
    WANTED(
        9,
        "tag needs-analysis; of the other signs only unwanted then takes points",
        t -> t.marked(Text.WANT)),
    UNWANTED(-30, "tag no-analysis, wontfix, duplicate or invalid", t -> t.marked(Text.UNWANT)),
    TRIVIAL(-4, "trivial: typo, spelling, wording, version bump", t -> t.titleHas(Text.SMALL)),
    WISH(
        -4,
        "no defect by its tag, and a tag or words of a wish, a question or a chore",
        t -> !t.marked(Text.DEFECTS) && t.isWish()),
    VAGUE(
        -3,
        "vague: maybe, somehow, does not work ... and no number, steps or names from code",
        t -> t.has(Text.UNSURE) && !t.has(Text.FIGURE) && !t.has(Text.STEPS) && !t.has(Text.CODE));

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
    private record Text(Snapshot snapshot, String all, long words) {
      // Finds only whether there is such a name. Each part begins near its end, because a text of
      // one long word (a hex dump) would otherwise take the square of its length: 4 s for 16 KiB.
      static final Pattern CODE =
          Pattern.compile(
              "[a-z][0-9]*+[A-Z]|[A-Z][0-9]++[A-Z]|\\w_\\w|[A-Za-z][0-9_]*+\\(\\)|[A-Za-z]\\w{1,80}\\.[A-Za-z]\\w{1,80}\\(|`[^`\\s]++`");
      static final Pattern TRACE =
          Pattern.compile(
              "\\bat [\\w$.]+\\([\\w.]+:\\d+\\)|Traceback \\(most recent|\\bCaused by:"
                  + " \\w|\\bpanic(?:ked at|:) |goroutine \\d");
      static final Pattern FAILURE =
          found(
              """
              (?:do|does|did|is|are|was|were|can|could|will|has|have)(?: not|n.?t)|not working|cannot|
              never|nothing|no longer|(?:instead|rather) (?:of|than)|off by|still|late|stale|
              too (?:high|low|early|late|much|many|long|short)|twice|(?:two|three|several) times|
              errors?|exceptions?|crash\\w*|fail\\w*|breaks?|broken?|hangs?|freez\\w*|panic\\w*|stuck|
              killed|leak\\w*|deadlock\\w*|race|time(?:d )?outs?|slow\\w*|bug|regression|wrong\\w*|
              incorrect\\w*|unexpected\\w*|invalid|corrupt\\w*|lost|loses?|missing|disappear\\w*|empty|
              negative|refused?|reject\\w*|ignore[sd]|duplicated?|overwr\\w+|overlap\\w*|
              (?:4[0-2]|50)\\d|
              (?:says?|gets?|got|shows?|answers?)(?: with)?(?: an?)? ["'\\u2018\\u201c]\\w+
              """);
      static final Pattern STEPS = found("reproduce|expected|actual|steps|observed|repro");
      static final Pattern SINCE =
          found(
              """
              since (?:the |our |we )?(?:\\w+ )?(?:update|upgrade\\w*|release|version|v?\\d)\\w*|
              after (?:the |an? |our )?(?:\\w+ )?(?:update|upgrad\\w+|migration)|no longer|
              worked|began|started|(?:did|does) not (?:happen|occur)
              """);
      static final Pattern RIGHT =
          found("but|although|though|yet|whereas|should (?:be|have)|works|correct\\w*|right|fine");
      static final Pattern WHEN = found("when|if|while|during|after|every|each time|only");
      static final Pattern FIGURE =
          Pattern.compile(
              "\\d|\\b(?:one|two|three|half)\\b|[\"'\\u2018\\u201c][\\w ]+[\"'\\u2019\\u201d]");
      static final Pattern SMALL = found("typos?|spelling|wording|bump|rename|whitespace");
      static final Pattern UNSURE =
          found(
              """
              maybe|somehow|someday|nice-to-have|whatever|etc|perhaps|brainstorm|sometimes|something|
              some (?:problem|customers|users|people)|everything is|asap|have a look|
              (?:does ?n[o']t|not) work(?:ing)?
              """);
      static final Pattern WANT = label("needs-analysis|deep-analysis");
      static final Pattern UNWANT = label("no-analysis|wontfix|duplicate|invalid");
      static final Pattern DEFECTS = label("bug|defect|incident|regression");
      static final Pattern WISHES =
          label(
              """
              enhancement|feature(?: request)?|improvement|question|proposal|discussion|idea|wish|
              docs?|documentation|chore|dependencies|tests?|support|refactor\\w*|(?:user )?story|epic
              """);
      static final Pattern WISHED =
          found(
              """
              would (?:help|love|like)|would be (?:nice|great|good|handy|helpful|useful)|
              please (?:add|support|allow|implement|provide|consider)|feature request|
              as an? [\\w ]{2,40} i (?:want|can)|how (?:do|can|to|should)|
              is (?:it|there) (?:possible|an?)|what (?:does|do)|should we|propose|thank you
              """);
      static final Pattern ASKED =
          Pattern.compile(
              "(?i)^(?:add|allow|support|improve|implement|consider|remove|update|upgrade|migrate"
                  + "|document|explain|clean|refactor|feat\\w*|docs|chore|question)\\b|\\?$");

      // Sentences of GitHub's template for a bug, which many leave as they are.
      private static final Pattern UNFILLED =
          Pattern.compile(
              "(?im)^(?:a clear and concise description|if applicable, add|steps to reproduce"
                  + " the|\\d[.)] (?:(?:go to|click on|scroll down to) '\\.|see error)).*$");
      private static final Pattern EMPTY_PART =
          Pattern.compile("(?m)^(?:\\*\\*.+\\*\\*|#+ .+)$\\s*(?=\\*\\*|#|\\z)");
      private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}_-]+");

      private static Pattern found(String alternatives) {
        return Pattern.compile("(?i)\\b(?:" + alternatives.replaceAll("\\s*\n\\s*", "") + ")\\b");
      }

      /** GitHub has labels for it, which some write as {@code kind/bug} or {@code type: bug}. */
      private static Pattern label(String alternatives) {
        return Pattern.compile(
            "(?i)^(?:(?:kind|type|t)\\s*[:/]\\s*)?(?:" + alternatives.replace("\n", "") + ")$");
      }

      static Text of(Snapshot snapshot) {
        String filled = UNFILLED.matcher(snapshot.text()).replaceAll("");
        String all = snapshot.title() + "\n" + EMPTY_PART.matcher(filled).replaceAll("");
        long words = BETWEEN.splitAsStream(all.toLowerCase(Locale.ROOT)).distinct().count();
        return new Text(snapshot, all, words);
      }

      boolean has(Pattern wanted) {
        return wanted.matcher(all).find();
      }

      boolean titleHas(Pattern wanted) {
        return wanted.matcher(snapshot.title()).find();
      }

      boolean marked(Pattern label) {
        return Stream.concat(Stream.of(snapshot.type()), snapshot.tags().stream())
            .anyMatch(each -> label.matcher(each).find());
      }

      boolean isWish() {
        return marked(WISHES)
            || (has(WISHED) && !has(TRACE))
            || (titleHas(ASKED) && !titleHas(FAILURE));
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
      return parts.length == 1
          || (Arrays.stream(parts)
                  .anyMatch(part -> part.length() >= 4 && Character.isLetter(part.charAt(0)))
              && (parts.length > 2 || word.matches(".*[._-].*")));
    }
  }
}
