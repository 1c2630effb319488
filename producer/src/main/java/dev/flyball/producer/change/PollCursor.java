package dev.flyball.producer.change;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A committed cursor as poll-state carries it: how far the source was read, by which poll, and with
 * which fingerprint version. The poll's id makes every cursor unique, so that a local copy either
 * belongs to it or does not.
 *
 * @param at the source's own cursor
 * @param poll the poll that wrote it
 * @param version of the fingerprints it published
 */
public record PollCursor(String at, String poll, String version) {
  private static final Pattern SHAPE = Pattern.compile("(\\S+) poll=(\\S+) fingerprint=(\\S+)");

  /** Reads a cursor; empty for text of another shape, so that the source is read from the start. */
  public static Optional<PollCursor> parse(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    Matcher matcher = SHAPE.matcher(text);
    return matcher.matches()
        ? Optional.of(new PollCursor(matcher.group(1), matcher.group(2), matcher.group(3)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return at + " poll=" + poll + " fingerprint=" + version;
  }
}
