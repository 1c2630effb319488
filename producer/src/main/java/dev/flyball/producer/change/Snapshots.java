package dev.flyball.producer.change;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.text.AdfText;
import dev.flyball.tracker.text.Bounded;
import dev.flyball.tracker.text.CleanText;
import dev.flyball.tracker.text.MarkdownText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a tracker wrote into the snapshot that is published: clean, bounded, with its
 * fingerprint.
 *
 * @param textLimit most bytes of clean text
 * @param fields the fields of a fingerprint
 * @param comments those of the newest snapshots of their items
 * @param firstPoll when the source was polled first; null if that is not known
 * @param source {@code tenant/source} that reads the items; null if that is not known
 */
public record Snapshots(
    int textLimit,
    List<String> fields,
    SourceRules rules,
    Map<ItemKey, List<HumanComment>> comments,
    @Nullable Instant firstPoll,
    @Nullable String source) {
  private static final int MAX_TITLE = 1024;
  private static final int MAX_WORD = 256;
  private static final int MAX_URL = 2048;
  private static final int MAX_TAGS = 64;

  /** The least room, in bytes, in which comments are worth their heading. */
  private static final int LEAST_ROOM = 256;

  /** Trackers' own names for "no more work is wanted", in lower case. */
  private static final Set<String> CLOSED =
      Set.of(
          ("closed, done, resolved, removed, completed, complete, cancelled, canceled,"
                  + " rejected, declined, wontfix, won't fix, won't do, duplicate, obsolete")
              .split(", "));

  public Snapshots {
    fields = List.copyOf(fields);
    comments = Map.copyOf(comments);
  }

  /**
   * Makes snapshots by these rules.
   *
   * @param fields the fields of a fingerprint, unless the source's rules name others
   */
  public Snapshots(int textLimit, List<String> fields, SourceRules rules) {
    this(
        textLimit,
        rules.fingerprintFields().isEmpty() ? fields : rules.fingerprintFields(),
        rules,
        Map.of(),
        null,
        null);
  }

  /** The same with comments for the newest snapshots of their items. */
  public Snapshots with(Map<ItemKey, List<HumanComment>> comments) {
    return new Snapshots(textLimit, fields, rules, comments, firstPoll, source);
  }

  /** The same rules for a source that was polled first at this time; null if it is not known. */
  public Snapshots since(@Nullable Instant first) {
    return new Snapshots(textLimit, fields, rules, comments, first, source);
  }

  /** The same rules for items that this source reads, {@code tenant/source}. */
  public Snapshots readBy(String reader) {
    return new Snapshots(textLimit, fields, rules, comments, firstPoll, reader);
  }

  /** The version of every fingerprint made here. */
  public String version() {
    var names = new TreeMap<String, String>();
    fields.forEach(name -> names.put(name, ""));
    return Fingerprint.of(names).version();
  }

  /** Whether comments are among the fields that decide whether an item changed. */
  public boolean compareComments() {
    return fields.contains("comments");
  }

  /** How often items that wait or run are checked again. */
  public Duration revisit() {
    return rules.revisit();
  }

  /** The snapshot of an item. */
  public Snapshot of(RawItem item, boolean newest) {
    String words = CleanText.title(item.title());
    String title = words.isEmpty() ? "(no title)" : words;
    String text = clean(item);
    List<HumanComment> discussion =
        newest ? comments.getOrDefault(item.key(), List.of()) : List.of();
    return new Snapshot(
        Bounded.line(item.revision(), MAX_WORD),
        Bounded.line(title, MAX_TITLE),
        withComments(Bounded.text(text, textLimit), discussion),
        word(item.state()),
        closed(item),
        word(item.type()),
        item.priority(),
        item.tags().stream().limit(MAX_TAGS).map(Snapshots::word).toList(),
        item.url() == null ? null : Bounded.line(item.url(), MAX_URL),
        item.changedAt(),
        item.changedBy() == null ? null : word(item.changedBy()),
        newest,
        fingerprint(item, title, text, discussion),
        rules.optIn().exclusionOf(item, title + "\n" + text, firstPoll),
        item.key().sourceKey().equals(source) ? null : source);
  }

  /** Comments have the room that the description leaves, if it is enough for a few words. */
  private String withComments(String text, List<HumanComment> discussion) {
    boolean room = text.getBytes(StandardCharsets.UTF_8).length + LEAST_ROOM <= textLimit;
    return discussion.isEmpty() || !room
        ? text
        : Bounded.text((text + "\n\n" + HumanComment.section(discussion)).strip(), textLimit);
  }

  private static String clean(RawItem item) {
    return switch (item.markup()) {
      case HTML -> CleanText.of(item.description());
      case MARKDOWN -> MarkdownText.of(item.description());
      case TEXTILE -> MarkdownText.orTextile(item.description());
      case NONE -> CleanText.plain(item.description());
      case ADF -> AdfText.of(item.description());
    };
  }

  private boolean closed(RawItem item) {
    String state = item.state().strip().toLowerCase(Locale.ROOT);
    return item.closed()
        || CLOSED.contains(state)
        || rules.closedStates().contains(state)
        || (rules.unassignedIsClosed() && !item.assigned());
  }

  /**
   * The fingerprint of the whole text, not of the bounded one: an edit after the cut must count as
   * a change, and another text limit must not.
   */
  private Fingerprint fingerprint(
      RawItem item, String title, String text, List<HumanComment> discussion) {
    var values = new TreeMap<String, String>();
    for (String field : fields) {
      values.put(
          field,
          switch (field) {
            case "comments" ->
                RecordJson.write(discussion.stream().map(HumanComment::text).toList());
            case "priority" -> Integer.toString(item.priority());
            case "state" -> word(item.state());
            case "tags" ->
                RecordJson.write(
                    item.tags().stream().map(Snapshots::word).sorted().distinct().toList());
            case "text" -> text;
            case "title" -> title;
            case "type" -> word(item.type());
            case "url" -> item.url() == null ? "" : item.url();
            default -> throw new IllegalArgumentException("no fingerprint field '" + field + "'");
          });
    }
    return Fingerprint.of(values);
  }

  private static String word(String text) {
    return Bounded.line(CleanText.title(text), MAX_WORD);
  }
}
