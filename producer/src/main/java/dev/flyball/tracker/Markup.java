package dev.flyball.tracker;

/** How a description is written. */
public enum Markup {
  /** HTML or plain text; the text itself tells which. */
  HTML,
  /** Markdown or Textile, with HTML possibly inside. */
  MARKDOWN,
  /** Atlassian Document Format: JSON. */
  ADF
}
