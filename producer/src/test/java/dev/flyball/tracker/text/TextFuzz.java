package dev.flyball.tracker.text;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The target of a fuzzer, by Jazzer's rules for a class without its library. ASCII bytes stay as
 * they are; other bytes become pieces of markup and unusual characters, so that few bytes make a
 * document.
 */
public final class TextFuzz {
  private static final int LIMIT = 1024;
  private static final List<UnaryOperator<String>> CLEANERS =
      List.of(CleanText::of, MarkdownText::of, AdfText::of, CleanText::title);

  private TextFuzz() {}

  /** Runs one input; an exception is a finding. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    String raw = text(bytes);
    for (UnaryOperator<String> cleaner : CLEANERS) {
      check(raw, cleaner.apply(raw));
    }
  }

  private static String text(byte[] bytes) {
    var text = new StringBuilder();
    for (byte b : bytes) {
      if (b >= 0) {
        text.append((char) b);
      } else {
        text.append(AnyTextTest.PIECES[(b & 0x7F) % AnyTextTest.PIECES.length]);
      }
    }
    return text.toString();
  }

  private static void check(String raw, String clean) {
    // A line of code in four quotations is one character with eight of ours.
    hold(clean.length() <= 6 * raw.length() + 64, "much longer than its source", clean);
    hold(clean.equals(clean.strip()), "blanks at its ends", clean);
    hold(!clean.contains("\n\n\n") && clean.indexOf('\r') < 0, "unclean lines", clean);
    hold(clean.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\t'), "controls", clean);
    int size = Bounded.text(clean, LIMIT).getBytes(StandardCharsets.UTF_8).length;
    hold(size <= LIMIT, "not bounded", clean);
    // References name characters that are not in the source.
    if (!raw.contains("&") && !raw.contains("\\u")) {
      String ours = raw + "[image: ] [cut: the rest cannot be read] characters of markup left out";
      hold(
          clean.chars().filter(Character::isLetter).allMatch(c -> ours.indexOf(c) >= 0),
          "letters that nobody wrote",
          clean);
    }
  }

  private static void hold(boolean holds, String otherwise, String clean) {
    if (!holds) {
      throw new AssertionError(otherwise + ":\n" + clean);
    }
  }
}
