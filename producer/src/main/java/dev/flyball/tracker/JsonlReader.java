package dev.flyball.tracker;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads items files into one result; lines that name no tenant and source belong to these. */
final class JsonlReader {
  static final int MAX_LINE = 10 << 20;

  private static final int MAX_VALUE = 2_000;

  /** Bytes of space that may be before the first sign. */
  private static final int MOST_SPACE = 256;

  /** How a list begins; a line of a log may begin with a bracket too. */
  private static final Pattern LIST = Pattern.compile("\\s*\\[\\s*([\\[{\\]]|$)");

  private static final String NO_OBJECT = "not a JSON object";

  private static final byte[] MARK = "\ufeff".getBytes(UTF_8);

  private final String tenant;
  private final String source;
  private final List<RawItem> items = new ArrayList<>();
  private final List<PollResult.Unread> invalid = new ArrayList<>();

  /** How many entries have a field that is not read, by its name. */
  private final Map<String, Integer> unknown = new TreeMap<>();

  JsonlReader(String tenant, String source) {
    this.tenant = tenant;
    this.source = source;
  }

  PollResult result(String cursor) {
    return new PollResult(items, invalid, unknown, cursor, 0, Duration.ZERO, false, null);
  }

  /** Reads a file; returns the digest of all its bytes. */
  String read(Path file) throws IOException {
    MessageDigest digest = Sha256.digest();
    try (var in =
        new BufferedInputStream(
            new DigestInputStream(Files.newInputStream(file), digest), 1 << 16)) {
      in.mark(MARK.length);
      if (!Arrays.equals(in.readNBytes(MARK.length), MARK)) {
        in.reset();
      }
      String name = String.valueOf(file.getFileName());
      if (isList(in)) {
        readList(in, name);
      } else {
        readLines(in, name);
      }
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Whether the file is one JSON list, as the command lines of trackers print it. */
  private static boolean isList(InputStream in) throws IOException {
    in.mark(MOST_SPACE);
    byte[] start = in.readNBytes(MOST_SPACE);
    in.reset();
    return LIST.matcher(new String(start, UTF_8)).lookingAt();
  }

  /** Pages that were printed one after another, or as a list of lists, are read as one list. */
  private void readList(InputStream list, String file) throws IOException {
    var addresses = new HashMap<ItemKey, String>();
    try (JsonParser json = RecordJson.parser(list)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token != JsonToken.START_ARRAY && token != JsonToken.END_ARRAY) {
          int line = json.currentTokenLocation().getLineNr();
          JsonNode value = RecordJson.value(json);
          try {
            RawItem item = item(value);
            requireOneRepository(item, addresses);
            items.add(item);
          } catch (UnreadableRecord e) {
            unread(file, line, e.getMessage(), value.toString());
          }
        }
      }
    } catch (JsonProcessingException e) {
      long line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      unread(file, line, "not JSON from here on", "line " + line);
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

  private void readLines(InputStream in, String file) throws IOException {
    // Keeps one byte more than the longest line at most.
    var line = new ByteArrayOutputStream();
    long number = 1;
    int next;
    do {
      next = in.read();
      if (next == '\n' || next < 0) {
        readLine(line.toByteArray(), file, number++);
        line.reset();
      } else if (line.size() <= MAX_LINE) {
        line.write(next);
      }
    } while (next >= 0);
  }

  private void readLine(byte[] line, String file, long number) {
    try {
      if (line.length > MAX_LINE) {
        throw new UnreadableRecord("longer than " + MAX_LINE + " bytes");
      }
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
      if (text.stripLeading().startsWith("{")) {
        items.add(item(RecordJson.parse(text)));
      } else if (!text.isBlank()) {
        throw new UnreadableRecord(NO_OBJECT);
      }
    } catch (UnreadableRecord | CharacterCodingException e) {
      String reason = e instanceof UnreadableRecord ? e.getMessage() : "not UTF-8";
      int most = Math.min(line.length, 4 * MAX_VALUE);
      unread(file, number, reason, new String(line, 0, most, UTF_8));
    }
  }

  private void unread(String file, long line, @Nullable String reason, String value) {
    invalid.add(
        new PollResult.Unread(file, line, String.valueOf(reason), Bounded.text(value, MAX_VALUE)));
  }

  private RawItem item(JsonNode json) {
    if (!(json instanceof ObjectNode object)) {
      throw new UnreadableRecord(NO_OBJECT);
    }
    Entry entry = Entry.of(object);
    RawItem item = entry.item(tenant, source);
    entry
        .fields
        .fieldNames()
        .forEachRemaining(name -> {
          if (!Entry.FIELDS.contains(name)) {
            unknown.merge(name, 1, Integer::sum);
          }
        });
    return item;
  }

  /**
   * One item of a file, with our names of its fields. Only id and title are required; a field of
   * the wrong shape makes the entry unreadable rather than being guessed at.
   *
   * @param markup how the description is written
   */
  private record Entry(ObjectNode fields, Markup markup) {
    static final Set<String> FIELDS =
        Set.of(
            ("id title tenant source description type state priority tags url"
                    + " revision changedAt changedBy")
                .split(" "));

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

    /** An entry in our names, whichever it has. */
    static Entry of(ObjectNode entry) {
      boolean gh =
          entry.has("number")
              && (!entry.has("id") || (entry.has("body") && !entry.has("description")));
      boolean glab = entry.has("iid") && entry.has("web_url");
      if (!gh && !glab) {
        return new Entry(entry, Markup.HTML);
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
      return new Entry(own, Markup.MARKDOWN);
    }

    RawItem item(String tenant, String source) {
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
      JsonNode node = fields.path("tags");
      if (node.isMissingNode() || node.isNull()) {
        return List.of();
      }
      if (!node.isArray() || !node.valueStream().allMatch(JsonNode::isTextual)) {
        throw new UnreadableRecord("'tags' must be a list of text");
      }
      return node.valueStream().map(JsonNode::asText).toList();
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
