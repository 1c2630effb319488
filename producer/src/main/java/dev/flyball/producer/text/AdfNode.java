package dev.flyball.producer.text;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a node of Jira's document format is to a reader; {@link AdfWalk} has the rule of each. */
enum AdfNode {
  /** A hint for who writes, which nobody sees who reads. */
  DROPPED("placeholder"),
  PARAGRAPH(
      "paragraph heading blockquote panel table mediaSingle mediaGroup layoutSection rule"
          + " extension bodiedExtension multiBodiedExtension"),
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

  /**
   * Of what we do not know, and of labels, the words are kept: all nodes have them in one place.
   */
  UNKNOWN("");

  private static final Map<String, AdfNode> BY_NAME = byName();

  private final List<String> names;

  AdfNode(String names) {
    this.names = names.isEmpty() ? List.of() : List.of(names.split(" "));
  }

  static AdfNode of(String name) {
    return BY_NAME.getOrDefault(name, UNKNOWN);
  }

  /** Whether it stands among words, so that it neither makes a line nor ends a link. */
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
