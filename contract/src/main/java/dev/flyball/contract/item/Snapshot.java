package dev.flyball.contract.item;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A work item as it was read at one moment; the value of {@code work-items}.
 *
 * @param revision the tracker's revision, {@code "0"} where it has none
 * @param title at most 1 KiB of UTF-8
 * @param text clean text, at most 16 KiB of UTF-8 ({@code text.limit}), never HTML
 * @param state the tracker's name for the state, for example {@code Active}
 * @param closed whether that state (or a missing assignee, where the source is configured so) means
 *     that no work is wanted
 * @param type the tracker's name for the type, for example {@code Bug}
 * @param priority 1 is first
 * @param newest whether this is the newest snapshot of its item in its poll; only the newest is
 *     triaged, the others end superseded
 * @param fingerprint what decides "changed"
 * @param exclusion why its source takes it for no session; null if it does
 * @param polledBy {@code tenant/source} of the source that read it, where the item names another
 *     tenant or source (a line of an items file may); null if that is the item's own
 */
public record Snapshot(
    String revision,
    String title,
    String text,
    String state,
    boolean closed,
    String type,
    int priority,
    List<String> tags,
    @Nullable String url,
    @Nullable Instant changedAt,
    @Nullable String changedBy,
    boolean newest,
    Fingerprint fingerprint,
    @Nullable Exclusion exclusion,
    @Nullable String polledBy) {

  /** The line of {@code text} behind which the comments of people are, up to its end. */
  public static final String COMMENTS = "Comments, newest first:";

  private static final String SECTION = COMMENTS + "\n\n";

  public Snapshot {
    // Jackson sets a missing property to null, whatever the types declare. Code that met the null
    // later would stop there at every start.
    Objects.requireNonNull(revision, "property revision is missing");
    Objects.requireNonNull(title, "property title is missing");
    Objects.requireNonNull(text, "property text is missing");
    Objects.requireNonNull(state, "property state is missing");
    Objects.requireNonNull(type, "property type is missing");
    Objects.requireNonNull(fingerprint, "property fingerprint is missing");
    tags = List.copyOf(Objects.requireNonNull(tags, "property tags is missing"));
  }

  /** The text without the comments of people. */
  public String description() {
    int at = text.lastIndexOf("\n\n" + SECTION);
    return at >= 0 ? text.substring(0, at) : text.startsWith(SECTION) ? "" : text;
  }

  /** The comments of people that the text holds, newest first; empty for none. */
  public String comments() {
    String behind = text.substring(description().length()).stripLeading();
    return behind.startsWith(SECTION) ? behind.substring(SECTION.length()) : "";
  }

  /** Whether it lacks what its source's {@code when} asks for. */
  public boolean lacksRequest() {
    return exclusion != null && exclusion.missing() != null;
  }
}
