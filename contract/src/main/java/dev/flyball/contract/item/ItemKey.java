package dev.flyball.contract.item;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Names one work item: {@code tenant/source/id}, for example {@code acme/ado-main/9493709}. The
 * text splits at its first two slashes, so an id may contain slashes itself.
 *
 * @param tenant the owner of the item, {@code [a-z0-9-]+}
 * @param source the configured source it was read from, {@code [a-z0-9-]+}
 * @param id the tracker's own id, not blank, without control characters
 */
public record ItemKey(String tenant, String source, String id) implements Comparable<ItemKey> {
  /** Longest id accepted, in characters; a longer one is a broken record, not a tracker's id. */
  public static final int MAX_ID = 256;

  public ItemKey {
    if (!isName(tenant)) {
      throw new IllegalArgumentException("tenant '" + tenant + "' is not [a-z0-9-]+");
    }
    if (!isName(source)) {
      throw new IllegalArgumentException("source '" + source + "' is not [a-z0-9-]+");
    }
    if (id.isBlank() || id.length() > MAX_ID || hasControl(id)) {
      throw new IllegalArgumentException(
          "id is blank, longer than " + MAX_ID + " characters or has control characters");
    }
  }

  // Each record that is read makes a key: patterns and streams would take most of its time.
  private static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean hasControl(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads {@code tenant/source/id}.
   *
   * @throws IllegalArgumentException if the text has fewer than two slashes or a part is malformed
   */
  @JsonCreator
  public static ItemKey parse(String text) {
    int first = text.indexOf('/');
    int second = first < 0 ? -1 : text.indexOf('/', first + 1);
    if (second < 0) {
      throw new IllegalArgumentException("'" + text + "' is not tenant/source/id");
    }
    return new ItemKey(
        text.substring(0, first), text.substring(first + 1, second), text.substring(second + 1));
  }

  /** {@code tenant/source}: the key of poll state and poll events, the name in {@code source:}. */
  public String sourceKey() {
    return tenant + "/" + source;
  }

  @Override
  public int compareTo(ItemKey other) {
    return toString().compareTo(other.toString());
  }

  @JsonValue
  @Override
  public String toString() {
    return tenant + "/" + source + "/" + id;
  }
}
