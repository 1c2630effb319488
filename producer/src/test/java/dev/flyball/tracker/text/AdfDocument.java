package dev.flyball.tracker.text;

import dev.flyball.contract.json.RecordJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Generates documents of Jira's format, with unknown nodes among them. */
final class AdfDocument {
  private final Vocabulary words;

  private AdfDocument(Vocabulary words) {
    this.words = words;
  }

  static String of(Vocabulary words) {
    var document = new AdfDocument(words);
    return RecordJson.write(document.node("doc", Map.of("localId", words.hidden()), 2, 0));
  }

  private Map<String, Object> block(int depth) {
    if (depth > 2) {
      return inlines("paragraph", Map.of());
    }
    return oneOf(
        () -> inlines("paragraph", Map.of("localId", words.hidden())),
        () -> inlines("heading", Map.of("level", 2)),
        () -> node("blockquote", Map.of(), 2, depth + 1),
        () -> node("panel", Map.of("panelType", words.hidden()), 2, depth + 1),
        () -> list("bulletList", "listItem", Map.of(), depth),
        () -> list("orderedList", "listItem", Map.of("order", 3), depth),
        () -> tasks(Map.of("localId", words.hidden(), "state", words.oneOf("TODO", "DONE"))),
        () -> table(depth),
        () -> codeBlock(),
        () -> node("expand", Map.of("title", words.visible()), 2, depth + 1),
        () -> leaf("rule", Map.of()),
        () -> leaf("blockCard", Map.of("url", "https://" + words.visible() + "/")),
        () -> media(Map.of("id", words.hidden(), "alt", words.visible())),
        () -> leaf("extension", Map.of("extensionKey", words.hidden(), "text", words.visible())),
        () -> node("layoutColumn", Map.of("width", 50), 2, depth + 1),
        () -> node("hologram", Map.of("colour", words.hidden()), 2, depth + 1));
  }

  private Map<String, Object> inline() {
    return oneOf(
        () -> text(words.visible() + " ", List.of()),
        () -> text(" " + words.visible(), List.of(mark("strong", Map.of()))),
        () -> text(words.visible() + " < 1 && \"", List.of(mark("em", Map.of()))),
        () -> text(words.visible() + " ", List.of(mark("strike", Map.of()))),
        () -> text(words.visible(), List.of(mark("subsup", Map.of("type", "sub")))),
        () ->
            text(words.verbatim("<p>" + words.anyWord() + "</p>"), List.of(mark("code", Map.of()))),
        () -> text(words.visible(), List.of(mark("link", Map.of("href", address())))),
        () -> leaf("hardBreak", Map.of()),
        () -> leaf("mention", Map.of("text", "@" + words.visible(), "id", words.hidden())),
        () -> leaf("emoji", Map.of("text", words.visible(), "shortName", words.hidden())),
        () -> leaf("status", Map.of("text", words.visible(), "color", words.hidden())),
        () -> leaf("inlineCard", Map.of("url", address())),
        () -> leaf("placeholder", Map.of("text", words.hidden())),
        () -> leaf("mediaInline", Map.of("alt", words.visible(), "collection", words.hidden())),
        () -> leaf("sparkle", Map.of("text", words.visible(), "style", words.hidden())));
  }

  private String address() {
    return "https://" + words.visible() + "/?utm_medium=" + words.hidden();
  }

  private Map<String, Object> list(
      String list, String item, Map<String, Object> attributes, int depth) {
    return with(list, attributes, some(3, () -> node(item, Map.of(), 1, depth + 1)));
  }

  private Map<String, Object> tasks(Map<String, Object> attributes) {
    return with("taskList", Map.of(), some(3, () -> inlines("taskItem", attributes)));
  }

  private Map<String, Object> table(int depth) {
    return with(
        "table",
        Map.of("layout", words.hidden()),
        some(
            3,
            () ->
                with(
                    "tableRow",
                    Map.of(),
                    List.of(
                        inlines("tableHeader", Map.of()),
                        node("tableCell", Map.of("background", words.hidden()), 1, depth + 2)))));
  }

  private Map<String, Object> codeBlock() {
    String code = words.verbatim("if (" + words.anyWord() + ") {\n  <b> &lt;\n}");
    return with("codeBlock", Map.of("language", words.hidden()), List.of(text(code, List.of())));
  }

  private Map<String, Object> media(Map<String, Object> attributes) {
    return with("mediaSingle", Map.of("layout", "center"), List.of(leaf("media", attributes)));
  }

  private Map<String, Object> node(
      String type, Map<String, Object> attributes, int most, int depth) {
    return with(type, attributes, some(most, () -> block(depth)));
  }

  private Map<String, Object> inlines(String type, Map<String, Object> attributes) {
    return with(type, attributes, some(3, this::inline));
  }

  private static Map<String, Object> mark(String type, Map<String, Object> attributes) {
    return leaf(type, attributes);
  }

  private static Map<String, Object> text(String text, List<Object> marks) {
    var node = new LinkedHashMap<String, Object>(Map.of("type", "text", "text", text));
    node.put("marks", marks);
    return node;
  }

  private static Map<String, Object> with(
      String type, Map<String, Object> attributes, List<Map<String, Object>> content) {
    var node = new LinkedHashMap<>(leaf(type, attributes));
    node.put("content", content);
    return node;
  }

  private static Map<String, Object> leaf(String type, Map<String, Object> attributes) {
    return Map.of("type", type, "attrs", attributes);
  }

  @SafeVarargs
  private Map<String, Object> oneOf(Supplier<Map<String, Object>>... choices) {
    return choices[words.upTo(choices.length)].get();
  }

  private List<Map<String, Object>> some(int most, Supplier<Map<String, Object>> piece) {
    var all = new ArrayList<Map<String, Object>>();
    for (int i = words.upTo(most); i >= 0; i--) {
      all.add(piece.get());
    }
    return all;
  }
}
