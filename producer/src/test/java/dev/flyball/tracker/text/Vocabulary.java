package dev.flyball.tracker.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * The words of one generated document, each used once: what a reader must find, in order, what no
 * reader may find, and pieces that must stay as they are.
 */
final class Vocabulary {
  private static final String[] TAILS = {"", "", "", "\u00e9", "\u4f60", "\u0645", "x9"};

  final List<String> visible = new ArrayList<>();
  final List<String> hidden = new ArrayList<>();
  final List<String> verbatim = new ArrayList<>();
  private final Random random;
  private int count;

  Vocabulary(Random random) {
    this.random = random;
  }

  /** A word that must be found after those before it. */
  String visible() {
    String word = "v" + count++ + "e" + TAILS[random.nextInt(TAILS.length)];
    visible.add(word);
    return word;
  }

  /** A word that must not be found. */
  String hidden() {
    String word = "h" + count++ + "e";
    hidden.add(word);
    return word;
  }

  /**
   * A piece that must be found character by character; it contains a word that no other piece has.
   */
  String verbatim(String piece) {
    verbatim.add(piece);
    return piece;
  }

  /** A word for such a piece. */
  String anyWord() {
    return "k" + count++ + "e";
  }

  int upTo(int bound) {
    return random.nextInt(bound);
  }

  boolean oneIn(int bound) {
    return random.nextInt(bound) == 0;
  }

  /**
   * One of these pieces; the choice is made before a word is taken, so that no word is taken in
   * vain.
   */
  @SafeVarargs
  final String oneOf(Supplier<String>... choices) {
    return choices[random.nextInt(choices.length)].get();
  }

  String oneOf(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** From one to this many pieces. */
  String some(int most, String between, Supplier<String> piece) {
    var all = new StringBuilder(piece.get());
    for (int i = upTo(most); i > 0; i--) {
      all.append(between).append(piece.get());
    }
    return all.toString();
  }
}
