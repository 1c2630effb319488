package dev.flyball.producer.text;

import org.jsoup.nodes.Element;

/** What a picture says to who cannot see it. */
final class Image {
  private Image() {}

  /** The picture's own words with our mark; those of an emoji alone, as it stands for a letter. */
  static String of(Element image) {
    boolean emoji =
        image.hasClass("emoji") || image.hasClass("emoticon") || image.hasClass("emojione");
    return emoji ? image.attr("alt").strip() : of(image.attr("alt"));
  }

  /** The same of the words alone. */
  static String of(String words) {
    String alt = words.strip();
    return alt.isEmpty() ? "" : "[image: " + alt + "]";
  }
}
