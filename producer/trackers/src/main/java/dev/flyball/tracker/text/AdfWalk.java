package dev.flyball.tracker.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Writes one document on a page: a rule for each {@link AdfNode}. It uses an explicit stack,
 * because an attacker can nest a tree deeply.
 */
final class AdfWalk {
  private final Page page;
  private final Deque<Open> open = new ArrayDeque<>();

  /** The address of the open link, or empty; the pieces of its text are adjacent nodes. */
  private String link = "";

  /** A node whose children are being written. */
  private record Open(AdfNode kind, Iterator<JsonNode> children) {}

  AdfWalk(Page page) {
    this.page = page;
  }

  void walk(JsonNode document) {
    enter(document);
    while (!open.isEmpty()) {
      Open node = open.peek();
      if (node.children().hasNext()) {
        enter(node.children().next());
      } else {
        open.pop();
        link("");
        end(node.kind());
      }
    }
    link("");
  }

  private void enter(JsonNode node) {
    JsonNode children = node.isArray() ? node : node.path("content");
    AdfNode kind = AdfNode.of(node.path("type").asText());
    if (kind == AdfNode.UNKNOWN && !children.isEmpty()) {
      kind = AdfNode.BLOCK;
    }
    if (kind == AdfNode.DROPPED) {
      return;
    }
    link(kind.inline() ? AdfAttributes.link(node) : "");
    begin(kind, node, new AdfAttributes(node.path("attrs")));
    if (!kind.inline() || !children.isEmpty()) {
      open.push(new Open(kind, children.iterator()));
    }
  }

  private void begin(AdfNode kind, JsonNode node, AdfAttributes attributes) {
    switch (kind) {
      case PARAGRAPH -> {
        paragraph();
        page.write(attributes.text("text"));
      }
      case HEADING -> {
        paragraph();
        page.openHeading(attributes.level());
      }
      case QUOTE -> {
        paragraph();
        page.openQuote();
      }
      case EXPAND -> {
        paragraph();
        page.write(attributes.text("title"));
        paragraph();
      }
      case BLOCK -> {
        page.edge(1);
        page.write(attributes.text("text"));
      }
      case LIST -> {
        page.edge(1);
        page.openList();
      }
      case NUMBERED_LIST -> {
        page.edge(1);
        page.openNumberedList(attributes.order());
      }
      case ITEM -> page.openItem();
      case TASK -> page.openItem(attributes.done() ? "[x] " : "[ ] ");
      case ROW -> page.openRow(node.path("content").size());
      case CELL -> page.openCell();
      case CODE_BLOCK -> {
        paragraph();
        page.openPre();
      }
      case CARD -> {
        paragraph();
        card(attributes);
      }
      case TEXT -> text(node);
      case LINE_BREAK -> page.lineBreak();
      case INLINE_CARD -> card(attributes);
      case MEDIA -> page.raw(Image.of(attributes.text("alt", "__fileName")));
      case MENTION -> page.write(attributes.text("text", "id"));
      case EMOJI -> page.write(attributes.text("text", "shortName"));
      case DATE -> page.write(attributes.day());
      case UNKNOWN -> {
        page.write(node.path("text").asText());
        page.write(attributes.text("text"));
      }
      case DROPPED -> {}
    }
  }

  private void end(AdfNode kind) {
    switch (kind) {
      case PARAGRAPH, EXPAND, CARD -> paragraph();
      case HEADING -> {
        page.closeHeading();
        paragraph();
      }
      case QUOTE -> {
        page.closeQuote();
        paragraph();
      }
      case BLOCK -> page.edge(1);
      case LIST, NUMBERED_LIST -> {
        page.closeList();
        page.edge(1);
      }
      case ITEM, TASK -> page.closeItem();
      case ROW -> page.closeRow();
      case CODE_BLOCK -> {
        page.closePre();
        paragraph();
      }
      case CELL, TEXT, LINE_BREAK, INLINE_CARD, MEDIA, MENTION, EMOJI, DATE, UNKNOWN, DROPPED -> {}
    }
  }

  /**
   * A paragraph. In a list it breaks only one line, because all text of list items is in
   * paragraphs.
   */
  private void paragraph() {
    page.edge(page.inList() ? 1 : 2);
  }

  private void text(JsonNode node) {
    boolean code = AdfAttributes.hasMark(node, "code");
    boolean struck = AdfAttributes.hasMark(node, "strike");
    char script = AdfAttributes.script(node);
    String text = node.path("text").asText();
    if (struck) {
      page.openStrike();
    }
    if (code) {
      page.openCode();
    }
    if (script != ' ') {
      page.openScript(script, text.strip());
    }
    page.write(text);
    if (script != ' ') {
      page.closeScript(script, text.strip());
    }
    if (code) {
      page.closeCode();
    }
    if (struck) {
      page.closeStrike();
    }
  }

  private void card(AdfAttributes attributes) {
    page.openLink(true);
    page.write(attributes.name());
    page.closeLink(attributes.address());
  }

  private void link(String address) {
    if (address.equals(link)) {
      return;
    }
    if (!link.isEmpty()) {
      page.closeLink(link);
    }
    link = address;
    if (!link.isEmpty()) {
      page.openLink(true);
    }
  }
}
