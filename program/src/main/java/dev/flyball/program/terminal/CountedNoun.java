package dev.flyball.program.terminal;

/** A number with its noun. */
public final class CountedNoun {
  private CountedNoun() {}

  /** A number with the matching form of its noun, for example {@code 1 line} or {@code 2 lines}. */
  public static String of(long count, String one, String several) {
    return count + " " + (count == 1 ? one : several);
  }
}
