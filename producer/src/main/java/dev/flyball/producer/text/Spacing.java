package dev.flyball.producer.text;

/** What white space of the text itself means. */
enum Spacing {
  /** All of it is one space: the markup gives the lines. */
  MARKUP,
  /** Line breaks count, because no markup gives any. */
  LINES,
  /** All of it counts: Markdown, where lines and indentation have meanings. */
  WRITTEN
}
