package dev.flyball.triage.classify;

import dev.flyball.contract.item.Snapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The signs that the rules search for, with the points of each. A test checks docs/triage.md
 * against this table.
 */
enum TriageRule {
  DESCRIBED(1, "20 words or more", t -> t.words >= 20),
  DETAILED(1, "300 characters or more", t -> t.all.length() >= 300),
  IDENTIFIERS(
      2, "names from code: fooBar, foo_bar, Foo.bar, foo()", t -> Text.CODE.matcher(t.all).find()),
  PATHS(2, "a path or a source file's name", t -> !PathWords.in(t.all).isEmpty()),
  STACK_TRACE(3, "a stack trace", t -> Text.TRACE.matcher(t.all).find()),
  ERROR_WORDS(
      1,
      "words of failure: error, exception, crash, fails, hangs, leak ...",
      t -> t.hasAny(Text.FAILURE)),
  REPRODUCTION(2, "steps, expected or actual", t -> t.hasAny(Text.STEPS)),
  DEFECT(1, "type bug, defect or incident", t -> t.typeIs("bug", "defect", "incident")),
  URGENT(2, "priority 1", t -> t.snapshot.priority() == 1),
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
  static List<TriageRule> in(Snapshot snapshot) {
    Text text = Text.of(snapshot);
    return Arrays.stream(values()).filter(sign -> sign.test.test(text)).toList();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The item's words, read once. */
  private record Text(Snapshot snapshot, String title, String all, Set<String> set, int words) {
    // Finds only whether there is such a name. Each part begins near its end, because a text of one
    // long word (a hex dump) would otherwise take the square of its length: 4 s for 16 KiB.
    static final Pattern CODE =
        Pattern.compile(
            "[a-z][0-9]*+[A-Z]|[A-Z][0-9]++[A-Z]|\\w_\\w|[A-Za-z][0-9_]*+\\(\\)|[A-Za-z]\\w{1,80}\\.[A-Za-z]\\w{1,80}\\(|`[^`\\s]++`");
    static final Pattern TRACE =
        Pattern.compile(
            "\\bat [\\w$.]+\\([\\w.]+:\\d+\\)|Traceback \\(most recent|\\bCaused by: \\w|panicked"
                + " at ");
    static final Set<String> FAILURE =
        Set.of(
            "error",
            "errors",
            "exception",
            "exceptions",
            "crash",
            "crashes",
            "crashed",
            "fail",
            "fails",
            "failed",
            "failure",
            "broken",
            "hang",
            "hangs",
            "leak",
            "leaks",
            "deadlock",
            "timeout",
            "timeouts",
            "wrong",
            "regression",
            "corrupt",
            "corrupted",
            "lost",
            "slow",
            "bug",
            "stuck",
            "race");
    static final Set<String> STEPS =
        Set.of("reproduce", "expected", "actual", "steps", "observed", "repro");
    static final Set<String> SMALL =
        Set.of("typo", "typos", "spelling", "wording", "bump", "rename", "whitespace");
    static final Set<String> UNSURE =
        Set.of(
            "maybe",
            "somehow",
            "someday",
            "nice-to-have",
            "whatever",
            "etc",
            "perhaps",
            "brainstorm");
    private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}_-]+");

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

    boolean typeIs(String... types) {
      return Arrays.asList(types).contains(snapshot.type().toLowerCase(Locale.ROOT));
    }

    boolean tagged(String... tags) {
      return snapshot.tags().stream()
          .map(tag -> tag.toLowerCase(Locale.ROOT))
          .anyMatch(Arrays.asList(tags)::contains);
    }
  }
}
