package dev.flyball.ops.console.page;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.Summary.DaySpend;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Values as a page shows them. Texts of trackers and agents are untrusted: they are bounded here,
 * and lose what would reorder or overflow the text around them. Templates escape them.
 */
public final class Display {
  /** Most characters of a title. */
  public static final int TITLE = 200;

  /** Most characters of a reason. */
  public static final int REASON = 500;

  /** Most characters of a line of output. */
  public static final int LINE = 4_096;

  /** Most characters of a long text, such as an analysis. */
  public static final int LONG = 64 * 1024;

  /** Controls that turn the direction of all text after them. */
  private static final Pattern DIRECTION =
      Pattern.compile("[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f]");

  /** Marks that pile up on one character; a name in any language needs at most three. */
  private static final Pattern PILE = Pattern.compile("(\\p{M}{3})\\p{M}+");

  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\\n\\t]]");
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Display() {}

  /** An untrusted text as one line of at most this many characters; empty for null. */
  public static String line(@Nullable String text, int most) {
    return text == null ? "" : tame(OneLine.of(OneLine.start(text, 8 * most)), most);
  }

  /** An untrusted text with its lines, at most {@link #LONG} characters. */
  public static String lines(@Nullable String text) {
    if (text == null) {
      return "";
    }
    String start = OneLine.start(text, 2 * LONG);
    return tame(CONTROLS.matcher(start).replaceAll("?"), LONG);
  }

  private static String tame(String text, int most) {
    String plain = PILE.matcher(DIRECTION.matcher(text).replaceAll("")).replaceAll("$1");
    return plain.length() <= most ? plain : OneLine.start(plain, most - 3) + "...";
  }

  /** Micro-dollars, for example {@code $0.11}. */
  public static String dollars(long micros) {
    return micros > 0 && micros < 5_000 ? "<$0.01" : "$" + Dollars.rounded(micros);
  }

  /** A count in three digits, for example {@code 48.2k}. */
  public static String count(long number) {
    if (number < 10_000) {
      return grouped(number);
    }
    return number < 1_000_000
        ? String.format(Locale.ROOT, "%.1fk", number / 1e3)
        : String.format(Locale.ROOT, "%.1fM", number / 1e6);
  }

  /** A count with all its digits, for example {@code 1,204}. */
  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A duration as a clock shows it: {@code 3:21} or {@code 1:02:03}. */
  public static String clock(long millis) {
    var span = Duration.ofMillis(Math.max(0, millis));
    return span.toHours() == 0
        ? String.format(Locale.ROOT, "%d:%02d", span.toMinutes(), span.toSecondsPart())
        : String.format(
            Locale.ROOT,
            "%d:%02d:%02d",
            span.toHours(),
            span.toMinutesPart(),
            span.toSecondsPart());
  }

  /** How long ago something was; a dash if it never was. */
  public static String age(@Nullable Instant at, Instant now) {
    return at == null ? "-" : TimeSpan.age(Duration.between(at, now));
  }

  /** The same as a phrase; this word if it never was. */
  public static String ago(@Nullable Instant at, String never, Instant now) {
    return at == null ? never : age(at, now) + " ago";
  }

  /** A number with all its digits; a dash while it is not known. */
  public static String known(@Nullable Long number) {
    return number == null ? "-" : grouped(number);
  }

  /**
   * What may be spent today, for example {@code of $20.00}: by the global budget, else by that of
   * the only tenant that the viewer sees; empty without one.
   */
  public static String limit(DaySpend today) {
    List<DaySpend.Budget> budgets = today.budgets();
    return budgets.stream()
        .filter(it ->
            it.scope().equals(Scope.GLOBAL)
                || (budgets.size() == 1 && it.scope().startsWith("tenant:")))
        .findFirst()
        .map(DaySpend.Budget::limitMicros)
        .map(micros -> "of " + dollars(micros))
        .orElse("");
  }

  /** How sessions ended, the most frequent outcome first. */
  public static String outcomes(Map<String, Long> ended) {
    return ended.isEmpty()
        ? "none ended"
        : ended.entrySet().stream()
            .sorted(
                Map.Entry.<String, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()))
            .map(it -> it.getValue() + " " + words(it.getKey()))
            .collect(Collectors.joining(", "));
  }

  /** Day and time in UTC; scripts show it in the time of the reader. */
  public static String utc(Instant at) {
    return UTC.format(at);
  }

  /** The name of a state or outcome as words: {@code timedOut} becomes {@code timed out}. */
  public static String words(String name) {
    return line(name, TITLE).replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
  }

  /** A word as the beginning of a sentence. */
  public static String sentence(String word) {
    return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }

  /** The colour of a state or an outcome; each is also written as a word. */
  public static String tone(String state) {
    return switch (state) {
      case "running", "triaging" -> "run";
      case "analyzed", "completed" -> "ok";
      case "failed", "interrupted", "cancelled" -> "warn";
      case "dead", "timedOut", "lost" -> "bad";
      default -> "";
    };
  }
}
