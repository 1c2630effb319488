package dev.flyball.producer.source.azure;

/** What a tracker or a program says, as a part of a line of ours. */
final class OneLine {
  private static final int MOST = 300;

  private OneLine() {}

  /** On one line, in ASCII, without the stop at its end, bounded. */
  static String of(String text) {
    String line = text.strip().replaceAll("\\s+", " ").replaceAll("[^ -~]", "?");
    String bounded = line.length() > MOST ? line.substring(0, MOST) + "..." : line;
    return bounded.endsWith(".") && !bounded.endsWith("...")
        ? bounded.substring(0, bounded.length() - 1)
        : bounded;
  }
}
