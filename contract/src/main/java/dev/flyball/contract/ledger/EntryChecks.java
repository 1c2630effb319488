package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks what every entry must hold; an entry that breaks it is unreadable and has no effect. */
final class EntryChecks {
  /**
   * A billion dollars, or 10^15 tokens: far above every real amount, and sums of millions of them
   * do not overflow.
   */
  static final long MOST = 1_000_000_000_000_000L;

  /** Longest id, scope, name or reason, in characters. */
  static final int LONGEST = 1_000;

  private EntryChecks() {}

  static void present(@Nullable Object value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    bounded(value, name);
  }

  /** Checks a length: what the fold keeps must fit into a row of its state, even a foreign one. */
  static void bounded(@Nullable Object value, String name) {
    int length =
        switch (value) {
          case String text -> text.length();
          case ItemKey key -> key.toString().length();
          case null, default -> 0;
        };
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          name + " has " + length + " characters, at most " + LONGEST + " are allowed");
    }
  }

  /** Cuts a person's text to what the fold keeps. */
  static String words(@Nullable String text, String name) {
    if (text == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
  }

  static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " is " + value + ", at least " + least + " is allowed");
    }
  }

  static void amount(long value, String name) {
    if (value < 0 || value > MOST) {
      throw new IllegalArgumentException(name + " is " + value + ", allowed is 0 to " + MOST);
    }
  }

  /** Checks names, of which the fold keeps all. */
  static @Nullable List<String> names(@Nullable List<String> names, String name) {
    if (names == null) {
      return null;
    }
    bounded(String.join(",", names), name);
    return List.copyOf(names);
  }

  /** Checks amounts by name; sorted, because rows of the state are compared as text. */
  static @Nullable SortedMap<String, Long> amounts(
      @Nullable Map<String, Long> amounts, String name) {
    if (amounts == null) {
      return null;
    }
    bounded(String.join(",", amounts.keySet()), name);
    for (Long each : amounts.values()) {
      present(each, name);
      amount(each, name);
    }
    return Collections.unmodifiableSortedMap(new TreeMap<>(amounts));
  }
}
