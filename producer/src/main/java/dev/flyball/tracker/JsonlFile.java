package dev.flyball.tracker;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.Sha256;
import dev.flyball.tracker.text.Bounded;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one items file, whose lines belong to a tenant and source where they name none.
 *
 * @param items takes the file's items
 * @param invalid takes its unreadable lines
 * @param unknown counts the fields that are not read, by their names
 */
record JsonlFile(
    Path path,
    String tenant,
    String name,
    List<RawItem> items,
    List<PollResult.Unread> invalid,
    Map<String, Integer> unknown) {
  /** Longest line read, in bytes. */
  static final int MAX_LINE = 10 << 20;

  private static final int MAX_VALUE = 2_000;

  /** Bytes of space that may be before the first sign. */
  private static final int MOST_SPACE = 256;

  /** How a list begins; a line of a log may begin with a bracket too. */
  private static final Pattern LIST = Pattern.compile("\\s*\\[\\s*([\\[{\\]]|$)");

  private static final String NO_OBJECT = "not a JSON object";

  /** A byte order mark, which some editors put first. */
  private static final byte[] MARK = "\ufeff".getBytes(StandardCharsets.UTF_8);

  /** Reads the file; returns the digest of all its bytes. */
  byte[] read() throws IOException {
    MessageDigest digest = Sha256.digest();
    try (var in =
        new BufferedInputStream(
            new DigestInputStream(Files.newInputStream(path), digest), 1 << 16)) {
      in.mark(MARK.length);
      if (!Arrays.equals(in.readNBytes(MARK.length), MARK)) {
        in.reset();
      }
      if (isList(in)) {
        readList(in);
      } else {
        readLines(in);
      }
      in.transferTo(OutputStream.nullOutputStream());
    }
    return digest.digest();
  }

  /** Whether the file is one JSON list, as the command lines of trackers print it. */
  private static boolean isList(InputStream in) throws IOException {
    in.mark(MOST_SPACE);
    byte[] start = in.readNBytes(MOST_SPACE);
    in.reset();
    return LIST.matcher(new String(start, StandardCharsets.UTF_8)).lookingAt();
  }

  /** Pages that were printed one after another, or as a list of lists, are read as one list. */
  private void readList(InputStream list) throws IOException {
    var addresses = new HashMap<ItemKey, String>();
    try (JsonParser json = RecordJson.parser(list)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token != JsonToken.START_ARRAY && token != JsonToken.END_ARRAY) {
          int line = json.currentTokenLocation().getLineNr();
          JsonNode value = RecordJson.value(json);
          try {
            RawItem item = JsonlLine.read(value, tenant, name, unknown);
            requireOneRepository(item, addresses);
            items.add(item);
          } catch (UnreadableRecord e) {
            invalid.add(unread(line, e, value.toString()));
          }
        }
      }
    } catch (JsonProcessingException e) {
      long line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      invalid.add(unread(line, new UnreadableRecord("not JSON from here on"), "line " + line));
    }
  }

  /** Numbers count in each repository from 1: two with the same would be taken for one item. */
  private static void requireOneRepository(RawItem item, Map<ItemKey, String> addresses) {
    String url = item.url();
    String first = url == null ? null : addresses.putIfAbsent(item.key(), url);
    if (first != null && !first.equals(url)) {
      throw new UnreadableRecord(
          "has the number of " + first + "; read each repository into a separate source");
    }
  }

  private void readLines(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    boolean more = true;
    for (long number = 1; more; number++) {
      line.reset();
      more = readLine(in, line);
      take(line.toByteArray(), number);
    }
  }

  /** Reads up to a line end, keeping one byte more than the limit at most; false at the end. */
  private static boolean readLine(InputStream in, ByteArrayOutputStream line) throws IOException {
    int c;
    while ((c = in.read()) >= 0) {
      if (c == '\n') {
        return true;
      }
      if (line.size() <= MAX_LINE) {
        line.write(c);
      }
    }
    return false;
  }

  private void take(byte[] line, long number) {
    try {
      if (line.length > MAX_LINE) {
        throw new UnreadableRecord("longer than " + MAX_LINE + " bytes");
      }
      String text = decode(line);
      if (text.isBlank()) {
        return;
      }
      if (!text.stripLeading().startsWith("{")) {
        throw new UnreadableRecord(NO_OBJECT);
      }
      items.add(JsonlLine.read(RecordJson.parse(text), tenant, name, unknown));
    } catch (UnreadableRecord e) {
      int most = Math.min(line.length, 4 * MAX_VALUE);
      invalid.add(unread(number, e, new String(line, 0, most, StandardCharsets.UTF_8)));
    }
  }

  private PollResult.Unread unread(long line, UnreadableRecord reason, String value) {
    return new PollResult.Unread(
        String.valueOf(path.getFileName()),
        line,
        String.valueOf(reason.getMessage()),
        Bounded.text(value, MAX_VALUE));
  }

  private static String decode(byte[] line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new UnreadableRecord("not UTF-8");
    }
  }

  /**
   * Reads one line of an items file. Only id and title are required; a field of the wrong shape
   * makes the line unreadable rather than being guessed at.
   */
  static final class JsonlLine {
    private static final Set<String> FIELDS =
        Set.of(
            "id",
            "title",
            "tenant",
            "source",
            "description",
            "type",
            "state",
            "priority",
            "tags",
            "url",
            "revision",
            "changedAt",
            "changedBy");

    /**
     * Our names of the fields that {@code gh issue list --json} and {@code glab issue list --output
     * json} print. What is our name already is replaced: an id there is a database's.
     */
    private static final Map<String, String> TRACKERS =
        Map.of(
            "number", "id",
            "iid", "id",
            "body", "description",
            "labels", "tags",
            "updatedAt", "changedAt",
            "updated_at", "changedAt",
            "web_url", "url",
            "author", "changedBy");

    private final ObjectNode fields;

    /** How the description is written. */
    private final Markup markup;

    private JsonlLine(ObjectNode fields, Markup markup) {
      this.fields = fields;
      this.markup = markup;
    }

    /** An entry in our names, whichever it has. */
    private static JsonlLine of(ObjectNode entry) {
      boolean gh =
          entry.has("number")
              && (!entry.has("id") || (entry.has("body") && !entry.has("description")));
      boolean glab = entry.has("iid") && entry.has("web_url");
      if (!gh && !glab) {
        return new JsonlLine(entry, Markup.HTML);
      }
      ObjectNode own = entry.deepCopy();
      TRACKERS.forEach((theirs, ours) -> {
        JsonNode value = own.remove(theirs);
        if (value != null) {
          own.set(ours, value);
        }
      });
      if (own.get("tags") instanceof ArrayNode labels) {
        var names = labels.arrayNode();
        labels.forEach(label -> names.add(label.has("name") ? label.get("name") : label));
        own.set("tags", names);
      }
      if (own.get("changedBy") instanceof ObjectNode author) {
        JsonNode login = author.has("login") ? author.get("login") : author.get("username");
        own.set("changedBy", login);
      }
      if (own.has("changedAt") && !own.has("revision")) {
        own.set("revision", own.get("changedAt"));
      }
      return new JsonlLine(own, Markup.MARKDOWN);
    }

    /**
     * Reads an entry.
     *
     * @param unknown counts the fields of this entry that are not read, by their names
     * @throws UnreadableRecord with the reason
     */
    static RawItem read(JsonNode json, String tenant, String source, Map<String, Integer> unknown) {
      if (!(json instanceof ObjectNode object)) {
        throw new UnreadableRecord(NO_OBJECT);
      }
      JsonlLine line = of(object);
      RawItem item = line.item(tenant, source);
      line.fields
          .fieldNames()
          .forEachRemaining(name -> {
            if (!FIELDS.contains(name)) {
              unknown.merge(name, 1, Integer::sum);
            }
          });
      return item;
    }

    private RawItem item(String tenant, String source) {
      String id = required("id");
      String title = optional("title");
      if (title == null || title.isEmpty()) {
        throw new UnreadableRecord("'title' is missing or blank");
      }
      try {
        var key = new ItemKey(text("tenant", tenant), text("source", source), id);
        return RawItem.of(key, title)
            .description(text("description", ""), markup)
            .type(text("type", ""))
            .state(text("state", ""))
            .priority(priority())
            .tags(tags())
            .url(optional("url"))
            .changed(text("revision", "0"), changedAt(), optional("changedBy"))
            .build();
      } catch (IllegalArgumentException e) {
        throw new UnreadableRecord(String.valueOf(e.getMessage()));
      }
    }

    private String required(String name) {
      String text = optional(name);
      if (text == null || text.isBlank()) {
        throw new UnreadableRecord("'" + name + "' is missing or blank");
      }
      return text;
    }

    private String text(String name, String otherwise) {
      String text = optional(name);
      return text == null ? otherwise : text;
    }

    private @Nullable String optional(String name) {
      JsonNode node = fields.get(name);
      if (node == null || node.isNull()) {
        return null;
      }
      if (!node.isTextual() && !node.isIntegralNumber()) {
        throw new UnreadableRecord("'" + name + "' must be text");
      }
      return node.asText();
    }

    private int priority() {
      String text = optional("priority");
      if (text == null) {
        return RawItem.MIDDLE_PRIORITY;
      }
      try {
        int priority = Integer.parseInt(text);
        if (priority >= 0 && priority <= 1000) {
          return priority;
        }
      } catch (NumberFormatException e) {
        // Reported below, together with numbers out of range.
      }
      throw new UnreadableRecord("'priority' must be a whole number from 0 to 1000");
    }

    private List<String> tags() {
      JsonNode node = fields.get("tags");
      if (node == null || node.isNull()) {
        return List.of();
      }
      if (!node.isArray()) {
        throw new UnreadableRecord("'tags' must be a list of text");
      }
      var tags = new ArrayList<String>();
      for (JsonNode tag : node) {
        if (!tag.isTextual()) {
          throw new UnreadableRecord("'tags' must be a list of text");
        }
        tags.add(tag.asText());
      }
      return tags;
    }

    private @Nullable Instant changedAt() {
      String text = optional("changedAt");
      if (text == null) {
        return null;
      }
      try {
        return OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException e) {
        throw new UnreadableRecord(
            "'changedAt' must be an ISO instant such as 2026-02-10T08:00:00Z");
      }
    }
  }
}
