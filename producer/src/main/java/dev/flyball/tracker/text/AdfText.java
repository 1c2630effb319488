package dev.flyball.tracker.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.time.Instant;
import java.util.HashSet;
import org.jsoup.nodes.Element;

/**
 * Jira Cloud's document format (ADF, JSON) as the same text that {@link CleanText} produces from
 * the same content in HTML: its nodes become the elements of the same meaning. Never throws, and
 * takes time linear in its input.
 */
public final class AdfText {
  private AdfText() {}

  /**
   * Cleans a field of a Jira answer. What is not a document is returned as text, and one that is
   * longer than any that Jira takes is left out.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String json) {
    if (!json.stripLeading().startsWith("{")) {
      return CleanText.of(json);
    }
    if (json.length() > CleanText.MAX_TEXT) {
      return CleanText.plain(CleanText.leftOut(json, 0));
    }
    try {
      JsonNode document = RecordJson.parse(json);
      if (document.path("type").isTextual()) {
        var root = new Element("div");
        add(root, document);
        return CleanText.plain(HtmlText.of(root, true));
      }
    } catch (UnreadableRecord e) {
      // Text that begins like JSON.
    }
    return CleanText.of(json);
  }

  /**
   * Adds a node as the element of the same meaning. An unknown one keeps its text, as all nodes
   * store it in the same place; a placeholder is a hint for the author, which readers do not see.
   * Recurses, because our JSON parser bounds the depth.
   */
  private static void add(Element parent, JsonNode node) {
    JsonNode children = node.isArray() ? node : node.path("content");
    JsonNode attributes = node.path("attrs");
    String words = text(node, "text") + text(attributes, "text");
    Element to =
        switch (text(node, "type")) {
          case "paragraph" -> parent.appendElement("p");
          case "heading" ->
              parent.appendElement("h" + Math.clamp(attributes.path("level").asInt(1), 1, 6));
          case "blockquote" -> parent.appendElement("blockquote");
          case "bulletList", "taskList", "decisionList" -> parent.appendElement("ul");
          case "orderedList" -> parent.appendElement("ol").attr("start", text(attributes, "order"));
          case "listItem", "decisionItem" -> parent.appendElement("li");
          case "taskItem", "blockTaskItem" ->
              parent
                  .appendElement("li")
                  .appendChild(
                      new Element("input")
                          .attr("type", "checkbox")
                          .attr("checked", text(attributes, "state").equals("DONE")));
          case "table" -> parent.appendElement("table");
          case "tableRow" -> parent.appendElement("tr");
          case "tableCell", "tableHeader" -> parent.appendElement("td");
          case "codeBlock" -> parent.appendElement("pre");
          case "hardBreak" -> parent.appendElement("br");
          case "placeholder" -> parent.appendElement("template");
          case "expand", "nestedExpand" ->
              parent
                  .appendElement("section")
                  .appendChild(new Element("p").text(text(attributes, "title")));
          case "blockCard", "embedCard" -> card(parent.appendElement("section"), attributes);
          case "inlineCard" -> card(parent, attributes);
          case "media", "mediaInline" ->
              parent
                  .appendElement("img")
                  .attr("alt", attributes.path("alt").asText(text(attributes, "__fileName")));
          case "mention" -> parent.appendText(text(attributes, "text"));
          case "emoji" ->
              parent.appendText(attributes.path("text").asText(text(attributes, "shortName")));
          case "date" -> parent.appendText(day(text(attributes, "timestamp")));
          case "layoutColumn", "extensionFrame", "caption" -> parent.appendElement("div");
          case "rule", "extension" -> parent.appendElement("section").appendText(words);
          default ->
              (children.isEmpty() ? marked(parent, node) : parent.appendElement("section"))
                  .appendText(words);
        };
    children.forEach(child -> add(to, child));
  }

  private static Element card(Element to, JsonNode attributes) {
    JsonNode data = attributes.path("data");
    String url = attributes.path("url").asText(data.path("url").asText(text(data, "@id")));
    return to.appendElement("a").attr("href", url).appendText(text(data, "name"));
  }

  /**
   * Where a node's text goes, in the elements that its marks stand for. Each kind counts once:
   * marks are a list, whose length no parser bounds as it bounds the depth.
   */
  private static Element marked(Element parent, JsonNode node) {
    Element at = parent;
    var seen = new HashSet<String>();
    for (JsonNode mark : node.path("marks")) {
      JsonNode attributes = mark.path("attrs");
      String type = text(mark, "type");
      at =
          switch (seen.add(type) ? type : "") {
            case "link" -> within(at, "a", text(attributes, "href"));
            case "strike" -> within(at, "s", "");
            case "code" -> within(at, "code", "");
            case "subsup" -> within(at, text(attributes, "type").equals("sub") ? "sub" : "sup", "");
            default -> at;
          };
    }
    return at;
  }

  /** Pieces of a link or of struck-out text are adjacent nodes: it goes on where the last ended. */
  private static Element within(Element at, String name, String href) {
    return at.lastChild() instanceof Element last
            && last.normalName().equals(name)
            && last.attr("href").equals(href)
        ? last
        : at.appendElement(name).attr("href", href);
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asText("");
  }

  /** The day of a date, in UTC as Jira keeps it; what is not a number of milliseconds stays. */
  private static String day(String timestamp) {
    return timestamp.matches("[0-9]{1,14}")
        ? Instant.ofEpochMilli(Long.parseLong(timestamp)).toString().substring(0, 10)
        : timestamp;
  }
}
