package dev.flyball.tracker.text;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code <} begins in Markdown: a known element's tag, content that readers do not see, or
 * nothing. Names that HTML does not have stay as text, as in {@code List<String>}.
 */
final class RawHtml {
  /** Their content is neither Markdown nor HTML; without an end tag they hide all that follows. */
  private static final Set<String> RAW = Set.of("script", "style", "iframe", "noframes");

  enum Kind {
    NONE,
    LEFT_OUT,
    TAG
  }

  /**
   * What was found.
   *
   * @param end index after it; index after {@code <} if nothing was found
   */
  record Piece(Kind kind, int end) {}

  private final String text;
  private @Nullable String lower;
  private HtmlSigns.@Nullable Pairs pairs;

  /** Where each mark occurs next, as last searched, so that no part is searched twice. */
  private final Map<String, Integer> next = new HashMap<>();

  RawHtml(String text) {
    this.text = text;
  }

  /**
   * What begins at this {@code <}.
   *
   * @param begun whether the line has text before it
   * @param blockEnd where a comment within a line ends at the latest
   */
  Piece at(int at, boolean begun, int blockEnd) {
    var nothing = new Piece(Kind.NONE, at + 1);
    if (text.startsWith("<!--", at)) {
      return comment(at, begun, blockEnd);
    }
    HtmlTag tag = HtmlTag.at(text, at);
    if (!HtmlSigns.known(tag.name()) || !(tag.attributes() || markup(tag.name()))) {
      return nothing;
    }
    if (HtmlElementKind.of(tag.name()) != HtmlElementKind.DROPPED) {
      return new Piece(Kind.TAG, tag.end());
    }
    return tag.closing() ? new Piece(Kind.LEFT_OUT, tag.end()) : dropped(tag, nothing);
  }

  private Piece comment(int at, boolean begun, int blockEnd) {
    int end = Math.min(next("-->", at + 2) + 3, text.length());
    if (begun) {
      return end > blockEnd ? new Piece(Kind.NONE, at + 1) : new Piece(Kind.LEFT_OUT, end);
    }
    int line = text.indexOf('\n', end);
    boolean alone = line >= 0 && text.substring(end, line).isBlank();
    return new Piece(Kind.LEFT_OUT, alone ? line + 1 : end);
  }

  private Piece dropped(HtmlTag tag, Piece nothing) {
    int close = next("</" + tag.name(), tag.end());
    if (close < text.length()) {
      int end = text.indexOf('>', close);
      return new Piece(Kind.LEFT_OUT, end < 0 ? text.length() : end + 1);
    }
    if (RAW.contains(tag.name())) {
      return new Piece(Kind.LEFT_OUT, text.length());
    }
    return tag.attributes() ? new Piece(Kind.LEFT_OUT, tag.end()) : nothing;
  }

  /** Where the mark occurs next; the text's length if it does not. */
  private int next(String mark, int from) {
    int at = next.getOrDefault(mark, -1);
    if (at < from) {
      at = from - 1;
      do {
        at = lower().indexOf(mark, at + 1);
      } while (at >= 0 && mark.startsWith("</") && HtmlTag.goesOn(text, at + mark.length()));
      at = at < 0 ? text.length() : at;
      next.put(mark, at);
    }
    return at;
  }

  private boolean markup(String name) {
    if (name.length() > 1) {
      return true;
    }
    pairs = pairs == null ? new HtmlSigns.Pairs(lower()) : pairs;
    return pairs.markup(name);
  }

  /**
   * The text in lower case, character by character, because lower case of a whole text may be
   * longer.
   */
  private String lower() {
    if (lower == null) {
      var signs = new StringBuilder(text.length());
      text.chars().forEach(c -> signs.append((char) Character.toLowerCase(c)));
      lower = signs.toString();
    }
    return lower;
  }
}
