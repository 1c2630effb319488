package dev.flyball.ops.console.notify.rule;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How a notification reads in each format: a body that is written as JSON. Titles and reasons are
 * foreign text: each format shows them as plain text, so that they can mention no user, load
 * nothing and forge nothing.
 *
 * @param console the console's address for links, without a slash at the end; empty for no links
 */
public record MessageText(String console) {
  /** The console's page of the notification's item, else its first page; empty without links. */
  public String link(Notification of) {
    String page = of.item() ? "/item?key=" + URLEncoder.encode(of.subject(), UTF_8) : "/";
    return console.isEmpty() ? "" : console + page;
  }

  /**
   * The body of an incoming webhook of Slack. Its three special characters are escaped, and {@code
   * verbatim} keeps it from making mentions, channels and links of plain words. A section takes
   * 3,000 characters, so each part has its own.
   */
  public Map<String, Object> slack(Notification of) {
    String head = escaped(of.headline());
    String link = console.isEmpty() ? "" : " <" + link(of) + "|Open>";
    List<String> parts = parts(of).map(MessageText::escaped).toList();
    var blocks = new ArrayList<Map<String, Object>>();
    blocks.add(section("*" + head + "*" + link));
    parts.forEach(part -> blocks.add(section(part)));
    return fields(
        "text",
        parts.isEmpty() ? head : head + ": " + parts.getFirst(),
        "unfurl_links",
        false,
        "unfurl_media",
        false,
        "blocks",
        blocks);
  }

  private static Map<String, Object> section(String text) {
    return fields(
        "type", "section", "text", fields("type", "mrkdwn", "text", text, "verbatim", true));
  }

  /**
   * The body of a workflow webhook of Microsoft Teams: an Adaptive Card. A {@code TextRun} shows no
   * Markdown, as a {@code TextBlock} does.
   */
  public Map<String, Object> teams(Notification of) {
    var blocks = new ArrayList<Map<String, Object>>();
    blocks.add(run(of.headline(), "bolder"));
    parts(of).forEach(part -> blocks.add(run(part, "")));
    Map<String, Object> open =
        fields("type", "Action.OpenUrl", "title", "Open in Flyball", "url", link(of));
    Map<String, Object> card =
        fields(
            "$schema", "http://adaptivecards.io/schemas/adaptive-card.json",
            "type", "AdaptiveCard",
            "version", "1.4",
            "body", blocks,
            "actions", console.isEmpty() ? "" : List.of(open));
    String format = "application/vnd.microsoft.card.adaptive";
    return fields(
        "type", "message", "attachments", List.of(fields("contentType", format, "content", card)));
  }

  private static Map<String, Object> run(String line, String weight) {
    Map<String, Object> text = fields("type", "TextRun", "text", line, "weight", weight);
    return fields("type", "RichTextBlock", "inlines", List.of(text));
  }

  /** The body of a generic webhook: type, time and data, as Standard Webhooks proposes. */
  public Map<String, Object> webhook(Notification of) {
    return fields(
        "type", "flyball.notification." + of.kind().label(),
        "timestamp", of.at().toString(),
        "data",
            fields(
                "id", of.id(),
                "kind", of.kind().label(),
                "headline", of.headline(),
                "subject", of.subject(),
                "tenant", of.tenant() == null ? "" : of.tenant(),
                "title", of.title(),
                "detail", of.detail(),
                "url", link(of)));
  }

  /** What it says besides its headline. */
  private static Stream<String> parts(Notification of) {
    return Stream.of(of.subject().equals("-") ? "" : of.subject(), of.title(), of.detail())
        .filter(part -> !part.isEmpty());
  }

  /** An object of names and values in this order, without the empty ones. */
  private static Map<String, Object> fields(Object... namesAndValues) {
    var fields = new LinkedHashMap<String, Object>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].equals("")) {
        fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return fields;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
