package dev.flyball.tracker.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import org.jsoup.nodes.Element;

/**
 * Jira's nodes as the HTML elements of the same meaning. It uses an explicit stack, because an
 * attacker can nest a tree deeply.
 */
final class AdfElements {
  /**
   * The element of each node. An unknown node or label keeps its text, as all nodes store it in the
   * same place; a placeholder is a hint for the author, which readers do not see.
   */
  private static final Map<String, String> ELEMENTS =
      Map.ofEntries(
          Map.entry("paragraph", "p"),
          Map.entry("panel", "section"),
          Map.entry("mediaSingle", "section"),
          Map.entry("mediaGroup", "section"),
          Map.entry("layoutSection", "section"),
          Map.entry("rule", "section"),
          Map.entry("extension", "section"),
          Map.entry("bodiedExtension", "section"),
          Map.entry("multiBodiedExtension", "section"),
          Map.entry("expand", "section"),
          Map.entry("nestedExpand", "section"),
          Map.entry("blockCard", "section"),
          Map.entry("embedCard", "section"),
          Map.entry("doc", "div"),
          Map.entry("layoutColumn", "div"),
          Map.entry("extensionFrame", "div"),
          Map.entry("caption", "div"),
          Map.entry("blockquote", "blockquote"),
          Map.entry("bulletList", "ul"),
          Map.entry("taskList", "ul"),
          Map.entry("decisionList", "ul"),
          Map.entry("orderedList", "ol"),
          Map.entry("listItem", "li"),
          Map.entry("decisionItem", "li"),
          Map.entry("taskItem", "li"),
          Map.entry("blockTaskItem", "li"),
          Map.entry("table", "table"),
          Map.entry("tableRow", "tr"),
          Map.entry("tableCell", "td"),
          Map.entry("tableHeader", "th"),
          Map.entry("codeBlock", "pre"),
          Map.entry("hardBreak", "br"),
          Map.entry("placeholder", "template"));

  private final Deque<Open> open = new ArrayDeque<>();

  /** A node whose children are being added to its element. */
  private record Open(Element element, Iterator<JsonNode> children) {}

  private AdfElements() {}

  static Element of(JsonNode document) {
    var root = new Element("div");
    var elements = new AdfElements();
    elements.add(root, document);
    while (!elements.open.isEmpty()) {
      Open node = elements.open.peek();
      if (node.children().hasNext()) {
        elements.add(node.element(), node.children().next());
      } else {
        elements.open.pop();
      }
    }
    return root;
  }

  private void add(Element parent, JsonNode node) {
    JsonNode children = node.isArray() ? node : node.path("content");
    String type = node.path("type").asText();
    JsonNode attributes = node.path("attrs");
    if (type.equals("text")) {
      marked(parent, node).appendText(node.path("text").asText());
      return;
    }
    String otherwise = children.isEmpty() ? "span" : "div";
    String name =
        type.equals("heading")
            ? "h" + Math.clamp(attributes.path("level").asInt(1), 1, 6)
            : ELEMENTS.getOrDefault(type, otherwise);
    Element element = (name.equals("span") ? marked(parent, node) : parent).appendElement(name);
    content(element, type, attributes, node);
    open.push(new Open(element, children.iterator()));
  }

  /** What a node shows before its children. */
  private static void content(Element to, String type, JsonNode attributes, JsonNode node) {
    switch (type) {
      case "orderedList" -> to.attr("start", attributes.path("order").asText());
      case "taskItem", "blockTaskItem" ->
          to.appendElement("input")
              .attr("type", "checkbox")
              .attr("checked", attributes.path("state").asText().equals("DONE"));
      case "expand", "nestedExpand" -> to.appendElement("p").appendText(first(attributes, "title"));
      case "blockCard", "embedCard", "inlineCard" -> card(to, attributes);
      case "media", "mediaInline" ->
          to.appendElement("img").attr("alt", first(attributes, "alt", "__fileName"));
      case "mention" -> to.appendText(first(attributes, "text", "id"));
      case "emoji" -> to.appendText(first(attributes, "text", "shortName"));
      case "date" -> to.appendText(day(first(attributes, "timestamp")));
      default -> {
        to.appendText(node.path("text").asText());
        to.appendText(first(attributes, "text"));
      }
    }
  }

  private static void card(Element to, JsonNode attributes) {
    JsonNode data = attributes.path("data");
    String url = first(attributes, "url");
    to.appendElement("a")
        .attr("href", url.isEmpty() ? first(data, "url", "@id") : url)
        .appendText(data.path("name").asText());
  }

  /** Where a node's text goes, inside of the elements that its marks stand for. */
  private static Element marked(Element parent, JsonNode node) {
    Element at = parent;
    for (JsonNode mark : node.path("marks")) {
      if (mark.path("type").asText().equals("link")) {
        at = link(at, mark.path("attrs").path("href").asText());
      }
    }
    for (JsonNode mark : node.path("marks")) {
      at =
          switch (mark.path("type").asText()) {
            case "strike" -> at.appendElement("s");
            case "code" -> at.appendElement("code");
            case "subsup" -> script(at, mark.path("attrs").path("type").asText());
            default -> at;
          };
    }
    return at;
  }

  /** The pieces of a link's text are adjacent nodes: a link goes on where the last one ended. */
  private static Element link(Element at, String href) {
    Element last = at.lastChild() instanceof Element element ? element : null;
    boolean same = last != null && last.normalName().equals("a") && last.attr("href").equals(href);
    return last != null && same ? last : at.appendElement("a").attr("href", href);
  }

  private static Element script(Element at, String type) {
    return type.equals("sub") || type.equals("sup") ? at.appendElement(type) : at;
  }

  /** The first of these attributes that exists; empty if none does. */
  private static String first(JsonNode attributes, String... names) {
    for (String name : names) {
      String text = attributes.path(name).asText();
      if (!text.isBlank()) {
        return text;
      }
    }
    return "";
  }

  /**
   * The day of a date, in UTC as Jira keeps it; text that is not a number of milliseconds stays as
   * it is.
   */
  private static String day(String timestamp) {
    return timestamp.matches("-?[0-9]{1,14}")
        ? Instant.ofEpochMilli(Long.parseLong(timestamp))
            .atOffset(ZoneOffset.UTC)
            .toLocalDate()
            .toString()
        : timestamp;
  }
}
