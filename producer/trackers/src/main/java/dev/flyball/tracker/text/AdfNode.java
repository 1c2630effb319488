package dev.flyball.tracker.text;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The meaning of a node of Jira's document format for a reader; {@link AdfWalk} has the rule of
 * each.
 */
enum AdfNode {
  /** A hint for the author, which readers do not see. */
  DROPPED("placeholder"),
  PARAGRAPH(
      "paragraph panel table mediaSingle mediaGroup layoutSection rule"
          + " extension bodiedExtension multiBodiedExtension"),
  HEADING("heading"),
  QUOTE("blockquote"),
  BLOCK("doc layoutColumn extensionFrame caption"),
  EXPAND("expand nestedExpand"),
  LIST("bulletList taskList decisionList"),
  NUMBERED_LIST("orderedList"),
  ITEM("listItem decisionItem"),
  TASK("taskItem blockTaskItem"),
  ROW("tableRow"),
  CELL("tableCell tableHeader"),
  CODE_BLOCK("codeBlock"),
  CARD("blockCard embedCard"),

  TEXT("text"),
  LINE_BREAK("hardBreak"),
  INLINE_CARD("inlineCard"),
  MEDIA("media mediaInline"),
  MENTION("mention"),
  EMOJI("emoji"),
  DATE("date"),

  /** Unknown nodes and labels: their text is kept, as all nodes store it in the same place. */
  UNKNOWN("");

  private static final Map<String, AdfNode> BY_NAME = byName();

  private final List<String> names;

  AdfNode(String names) {
    this.names = names.isEmpty() ? List.of() : List.of(names.split(" "));
  }

  static AdfNode of(String name) {
    return BY_NAME.getOrDefault(name, UNKNOWN);
  }

  /** Whether it is part of running text, so that it neither starts a line nor ends a link. */
  boolean inline() {
    return compareTo(TEXT) >= 0;
  }

  private static Map<String, AdfNode> byName() {
    var all = new HashMap<String, AdfNode>();
    for (AdfNode node : values()) {
      node.names.forEach(name -> all.put(name, node));
    }
    return Map.copyOf(all);
  }
}
