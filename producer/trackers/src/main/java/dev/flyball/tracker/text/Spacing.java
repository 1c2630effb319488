package dev.flyball.tracker.text;

/** The meaning of white space in the text itself. */
enum Spacing {
  /** Any run is one space: the markup gives the lines. */
  MARKUP,
  /** Line breaks are kept, because no markup gives any. */
  LINES,
  /** All of it is kept: Markdown, where lines and indentation have a meaning. */
  WRITTEN
}
