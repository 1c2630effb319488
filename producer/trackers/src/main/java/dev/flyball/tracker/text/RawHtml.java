package dev.flyball.tracker.text;

import java.util.HashMap;
import java.util.Locale;
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
    Tag tag = Tag.at(text, at);
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

  private Piece dropped(Tag tag, Piece nothing) {
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
      } while (at >= 0 && mark.startsWith("</") && Tag.goesOn(text, at + mark.length()));
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

  /**
   * One tag in a text that is mostly something else.
   *
   * @param name lower case
   * @param closing whether it is an end tag
   * @param attributes whether it has any
   * @param end index after its {@code >}
   */
  private record Tag(String name, boolean closing, boolean attributes, int end) {
    /** Attributes without a value; any other bare word in a tag makes it plain text. */
    private static final Set<String> ALONE =
        Set.of("hidden", "open", "checked", "disabled", "reversed", "inert", "nowrap", "noshade");

    private static final Tag NONE = new Tag("", false, false, 0);

    /**
     * Reads the tag at {@code <}. Its name is empty if there is none: no letter after the sign, no
     * end, or something between that is neither attribute nor value, as in {@code a <b and c> d}.
     */
    static Tag at(String text, int start) {
      boolean closing = text.startsWith("</", start);
      int from = start + (closing ? 2 : 1);
      int to = from;
      while (to < text.length() && nameCharacter(text.charAt(to), to == from)) {
        to++;
      }
      if (to == from) {
        return NONE;
      }
      String name = text.substring(from, to).toLowerCase(Locale.ROOT);
      boolean equals = false;
      int at = to;
      while (at < text.length()) {
        char c = text.charAt(at);
        if (c == '>') {
          String rest = text.substring(to, at).replace('/', ' ').strip();
          boolean attributes = equals || ALONE.contains(rest.toLowerCase(Locale.ROOT));
          return attributes || rest.isEmpty() ? new Tag(name, closing, attributes, at + 1) : NONE;
        }
        if (c == '<' || (at == to && c != '/' && !Character.isWhitespace(c))) {
          return NONE;
        }
        equals |= c == '=';
        boolean quoted = (c == '"' || c == '\'') && text.charAt(lastVisible(text, at)) == '=';
        int next = quoted ? text.indexOf(c, at + 1) : at;
        if (next < 0) {
          return NONE;
        }
        at = next + 1;
      }
      return NONE;
    }

    /** Whether a tag's name continues at this index. */
    static boolean goesOn(String text, int at) {
      return at < text.length() && nameCharacter(text.charAt(at), false);
    }

    private static int lastVisible(String text, int before) {
      int at = before - 1;
      while (Character.isWhitespace(text.charAt(at))) {
        at--;
      }
      return at;
    }

    private static boolean nameCharacter(char c, boolean first) {
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == ':'));
    }
  }
}
