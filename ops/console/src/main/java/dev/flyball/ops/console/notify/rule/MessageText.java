package dev.flyball.ops.console.notify.rule;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a notification reads in each format. Titles and reasons are foreign text: each format shows
 * them as plain text, so that they can mention no user, load nothing and forge nothing.
 *
 * @param console the console's address for links, without a slash at the end; empty for no links
 */
public record MessageText(String console) {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Slack rejects a longer text; escapes make it up to five times as long. */
  private static final int SLACK_MOST = 3_000;

  /** The console's page of the notification's item, else its first page; empty without links. */
  public Optional<String> link(Notification of) {
    if (console.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        of.item()
            ? console + "/item?key=" + URLEncoder.encode(of.subject(), UTF_8)
            : console + "/");
  }

  /**
   * The body of an incoming webhook of Slack, without what would make it too long. Its three
   * special characters are escaped, and {@code verbatim} keeps it from making mentions, channels
   * and links of plain words.
   */
  public ObjectNode slack(Notification of) {
    String head = "*" + escaped(of.headline()) + "*";
    String linked = head + link(of).map(url -> " <" + url + "|Open>").orElse("");
    String subject = escaped(subject(of));
    String text =
        Stream.of(
                lines(linked, subject, escaped(of.title()), escaped(of.detail())),
                lines(linked, subject, escaped(of.title())),
                lines(head, subject))
            .filter(each -> each.length() <= SLACK_MOST)
            .findFirst()
            .orElse(head);
    ObjectNode body = JSON.objectNode();
    body.put("text", escaped(summary(of)));
    body.put("unfurl_links", false);
    body.put("unfurl_media", false);
    ObjectNode section = body.putArray("blocks").addObject();
    section.put("type", "section");
    section.putObject("text").put("type", "mrkdwn").put("text", text).put("verbatim", true);
    return body;
  }

  /**
   * The body of a workflow webhook of Microsoft Teams: an Adaptive Card. A {@code TextRun} shows no
   * Markdown, as a {@code TextBlock} does.
   */
  public ObjectNode teams(Notification of) {
    ObjectNode body = JSON.objectNode();
    body.put("type", "message");
    ObjectNode attachment = body.putArray("attachments").addObject();
    attachment.put("contentType", "application/vnd.microsoft.card.adaptive");
    ObjectNode card = attachment.putObject("content");
    card.put("$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
    card.put("type", "AdaptiveCard");
    card.put("version", "1.4");
    ArrayNode parts = card.putArray("body");
    run(parts, of.headline()).put("weight", "bolder");
    Stream.of(subject(of), of.title(), of.detail())
        .filter(line -> !line.isEmpty())
        .forEach(line -> run(parts, line));
    link(of)
        .ifPresent(url ->
            card.putArray("actions")
                .addObject()
                .put("type", "Action.OpenUrl")
                .put("title", "Open in Flyball")
                .put("url", url));
    return body;
  }

  private static ObjectNode run(ArrayNode parts, String line) {
    ObjectNode block = parts.addObject();
    block.put("type", "RichTextBlock");
    return block.putArray("inlines").addObject().put("type", "TextRun").put("text", line);
  }

  /** The body of a generic webhook: type, time and data, as Standard Webhooks proposes. */
  public ObjectNode webhook(Notification of) {
    ObjectNode body = JSON.objectNode();
    body.put("type", "flyball.notification." + of.kind().label());
    body.put("timestamp", of.at().toString());
    ObjectNode data = body.putObject("data");
    data.put("id", of.id());
    data.put("kind", of.kind().label());
    data.put("headline", of.headline());
    data.put("subject", of.subject());
    put(data, "tenant", Optional.ofNullable(of.tenant()).orElse(""));
    put(data, "title", of.title());
    put(data, "detail", of.detail());
    put(data, "url", link(of).orElse(""));
    return body;
  }

  private static String summary(Notification of) {
    return of.headline() + (subject(of).isEmpty() ? "" : ": " + subject(of));
  }

  private static String subject(Notification of) {
    return of.subject().equals("-") ? "" : of.subject();
  }

  private static void put(ObjectNode data, String field, String value) {
    if (!value.isEmpty()) {
      data.put(field, value);
    }
  }

  private static String lines(String... lines) {
    return Stream.of(lines).filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
