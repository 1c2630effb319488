package dev.flyball.producer.source.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What was sent in headers and must not come back in a message: some servers echo it. */
final class Secrets {
  /** Shorter words stand in every text by chance. */
  private static final int MIN_LENGTH = 6;

  private final List<String> words = new ArrayList<>();

  Secrets(Map<String, String> headers) {
    headers.values().forEach(this::add);
    // A part must not be blotted out before the whole.
    words.sort(Comparator.comparingInt(String::length).reversed());
  }

  /** The text with every secret blotted out. */
  String redacted(String text) {
    String clean = text;
    for (String word : words) {
      clean = clean.replace(word, "[redacted]");
    }
    return clean;
  }

  private void add(String value) {
    word(value);
    int scheme = value.indexOf(' ');
    if (scheme < 0) {
      return;
    }
    String credentials = value.substring(scheme + 1).strip();
    word(credentials);
    if (value.regionMatches(true, 0, "Basic", 0, scheme)) {
      try {
        String pair = new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
        word(pair);
        word(pair.substring(pair.indexOf(':') + 1));
      } catch (IllegalArgumentException e) {
        // Not what Basic means; the value itself is a secret all the same.
      }
    }
  }

  private void word(String word) {
    if (word.length() >= MIN_LENGTH) {
      words.add(word);
    }
  }
}
