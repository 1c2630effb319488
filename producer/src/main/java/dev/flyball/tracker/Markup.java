package dev.flyball.tracker;

/** How a description is written. */
public enum Markup {
  /** HTML or plain text; the text itself tells which. */
  HTML,
  /** Markdown, with HTML possibly inside. */
  MARKDOWN,
  /** Redmine's Textile or Markdown: its answers do not say which. */
  TEXTILE,
  /** None: clean text. */
  NONE,
  /** Atlassian Document Format: JSON. */
  ADF
}
