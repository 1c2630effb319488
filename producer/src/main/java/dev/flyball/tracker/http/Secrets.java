package dev.flyball.tracker.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The secrets sent in headers, which must not appear in a message: some servers echo them. Every
 * value is one, except those of headers that say how to answer.
 */
final class Secrets {
  private static final Set<String> PUBLIC = Set.of("accept", "content-type", "user-agent");

  /** Shorter words occur in every text by chance. */
  private static final int MIN_LENGTH = 6;

  private final List<String> words = new ArrayList<>();

  Secrets(Map<String, String> headers) {
    headers.forEach((name, value) -> {
      String lower = name.toLowerCase(Locale.ROOT);
      if (!PUBLIC.contains(lower) && !lower.endsWith("-version")) {
        add(value);
      }
    });
    // A part must not be redacted before the whole.
    words.sort(Comparator.comparingInt(String::length).reversed());
  }

  boolean contains(String word) {
    return words.contains(word);
  }

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
        // Not valid Basic credentials; the value itself is a secret all the same.
      }
    }
  }

  private void word(String word) {
    if (word.length() >= MIN_LENGTH) {
      words.add(word);
    }
  }
}
