package dev.flyball.producer.text;

/** The meaning of white space in the text itself. */
enum Spacing {
  /** Any run is one space: the markup gives the lines. */
  MARKUP,
  /** Line breaks count, because no markup gives any. */
  LINES,
  /** All of it counts: Markdown, where lines and indentation have meanings. */
  WRITTEN
}
