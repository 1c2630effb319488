package dev.flyball.tracker.text;

import org.jsoup.nodes.Element;

/** The text for a picture. */
final class Image {
  private Image() {}

  /**
   * The picture's alternative text with our mark; an emoji's alone, because it replaces a
   * character.
   */
  static String of(Element image) {
    boolean emoji =
        image.hasClass("emoji") || image.hasClass("emoticon") || image.hasClass("emojione");
    return emoji ? image.attr("alt").strip() : of(image.attr("alt"));
  }

  /** The same for the text alone. */
  static String of(String words) {
    String alt = words.strip();
    return alt.isEmpty() ? "" : "[image: " + alt + "]";
  }
}
