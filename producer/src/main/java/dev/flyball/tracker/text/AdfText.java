package dev.flyball.tracker.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.nodes.Element;

/**
 * Jira Cloud's document format (ADF, JSON) as the same text that {@link CleanText} produces from
 * the same content in HTML: its nodes become the elements of the same meaning. Never throws, and
 * takes time linear in its input, however deep it is nested.
 */
public final class AdfText {
  /**
   * Longest JSON that is read for its words, in characters: a parser keeps about 100 bytes for each
   * open level.
   */
  private static final int MOST = 1024 * 1024;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
          .build();

  /**
   * The nodes that each element stands for. An unknown node or label keeps its text, as all nodes
   * store it in the same place; a placeholder is a hint for the author, which readers do not see.
   */
  private static final Map<String, String> NODES =
      Map.ofEntries(
          Map.entry("p", "paragraph"),
          Map.entry(
              "section",
              "panel mediaSingle mediaGroup layoutSection rule extension bodiedExtension"
                  + " multiBodiedExtension expand nestedExpand blockCard embedCard"),
          Map.entry("div", "doc layoutColumn extensionFrame caption"),
          Map.entry("blockquote", "blockquote"),
          Map.entry("ul", "bulletList taskList decisionList"),
          Map.entry("ol", "orderedList"),
          Map.entry("li", "listItem decisionItem taskItem blockTaskItem"),
          Map.entry("table", "table"),
          Map.entry("tr", "tableRow"),
          Map.entry("td", "tableCell"),
          Map.entry("th", "tableHeader"),
          Map.entry("pre", "codeBlock"),
          Map.entry("br", "hardBreak"),
          Map.entry("template", "placeholder"));

  private static final Map<String, String> ELEMENTS =
      NODES.entrySet().stream()
          .flatMap(element ->
              Stream.of(element.getValue().split(" "))
                  .map(node -> Map.entry(node, element.getKey())))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private AdfText() {}

  /**
   * Cleans a field of a Jira answer. What is not a document is returned as text. If a document
   * breaks off, is very long, or is nested deeper than our JSON parser goes, its text is kept
   * without its structure.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String json) {
    if (!json.stripLeading().startsWith("{")) {
      return CleanText.of(json);
    }
    if (json.length() > MOST) {
      return Tidy.lines(words(json));
    }
    try {
      JsonNode document = RecordJson.parse(json);
      if (!document.path("type").isTextual()) {
        return CleanText.of(json);
      }
      return Tidy.lines(HtmlText.of(elements(document), HtmlText.Spacing.LINES));
    } catch (UnreadableRecord e) {
      return Tidy.lines(words(json));
    }
  }

  /** A line for each text, up to where the JSON breaks off; if there is none, the JSON as text. */
  private static String words(String json) {
    var words = new StringBuilder();
    boolean whole = false;
    try (JsonParser parser = JSON.createParser(json.substring(0, Math.min(json.length(), MOST)))) {
      JsonToken token = parser.nextToken();
      while (token != null) {
        if (token == JsonToken.VALUE_STRING && "text".equals(parser.currentName())) {
          words.append(parser.getText()).append('\n');
        }
        token = parser.nextToken();
      }
      whole = json.length() <= MOST;
    } catch (IOException e) {
      // The mark below reports it.
    }
    if (words.isEmpty() && !whole) {
      return CleanText.of(json);
    }
    return whole ? words.toString() : words + "[cut: the rest cannot be read]";
  }

  /** A document's nodes as the elements of the same meaning. */
  private static Element elements(JsonNode document) {
    var root = new Element("div");
    add(root, document);
    return root;
  }

  /** Recurses, because our JSON parser bounds the depth. */
  private static void add(Element parent, JsonNode node) {
    JsonNode children = node.isArray() ? node : node.path("content");
    String type = node.path("type").asText("");
    JsonNode attributes = node.path("attrs");
    if (type.equals("text")) {
      marked(parent, node).appendText(node.path("text").asText(""));
      return;
    }
    String otherwise = children.isEmpty() ? "span" : "div";
    String name =
        type.equals("heading")
            ? "h" + Math.clamp(attributes.path("level").asInt(1), 1, 6)
            : ELEMENTS.getOrDefault(type, otherwise);
    Element element = (name.equals("span") ? marked(parent, node) : parent).appendElement(name);
    content(element, type, attributes, node);
    children.forEach(child -> add(element, child));
  }

  /** What a node shows before its children. */
  private static void content(Element to, String type, JsonNode attributes, JsonNode node) {
    switch (type) {
      case "orderedList" -> to.attr("start", attributes.path("order").asText(""));
      case "taskItem", "blockTaskItem" ->
          to.appendElement("input")
              .attr("type", "checkbox")
              .attr("checked", attributes.path("state").asText("").equals("DONE"));
      case "expand", "nestedExpand" -> to.appendElement("p").appendText(first(attributes, "title"));
      case "blockCard", "embedCard", "inlineCard" -> card(to, attributes);
      case "media", "mediaInline" ->
          to.appendElement("img").attr("alt", first(attributes, "alt", "__fileName"));
      case "mention" -> to.appendText(first(attributes, "text", "id"));
      case "emoji" -> to.appendText(first(attributes, "text", "shortName"));
      case "date" -> to.appendText(day(first(attributes, "timestamp")));
      default -> {
        to.appendText(node.path("text").asText(""));
        to.appendText(first(attributes, "text"));
      }
    }
  }

  private static void card(Element to, JsonNode attributes) {
    JsonNode data = attributes.path("data");
    String url = first(attributes, "url");
    to.appendElement("a")
        .attr("href", url.isEmpty() ? first(data, "url", "@id") : url)
        .appendText(data.path("name").asText(""));
  }

  /** Where a node's text goes, inside of the elements that its marks stand for. */
  private static Element marked(Element parent, JsonNode node) {
    Element at = parent;
    for (JsonNode mark : node.path("marks")) {
      if (mark.path("type").asText("").equals("link")) {
        at = link(at, mark.path("attrs").path("href").asText(""));
      }
    }
    for (JsonNode mark : node.path("marks")) {
      at =
          switch (mark.path("type").asText("")) {
            case "strike" -> at.appendElement("s");
            case "code" -> at.appendElement("code");
            case "subsup" -> script(at, mark.path("attrs").path("type").asText(""));
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
      String text = attributes.path(name).asText("");
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
