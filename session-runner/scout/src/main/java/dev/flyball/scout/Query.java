package dev.flyball.scout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The terms of an item. Its text is only ever cut into words; nothing in it is a command. Built
 * once, then only read.
 */
final class Query {
  /** Most terms; a longer item repeats itself. */
  static final int MAX_TERMS = 400;

  /** Characters read of each part of the item; a snapshot's text has at most 16 Ki. */
  static final int MAX_TEXT = 64 * 1024;

  private static final int MAX_MENTIONS = 40;
  private static final double TITLE = 3;
  private static final double LABEL = 1.5;
  private static final double TEXT = 1;

  /** The text after the first paragraphs is mostly a log or a mail's history. */
  private static final double TAIL = 0.3;

  private static final int HEAD_CHARS = 1500;

  /**
   * The most weight of a term that only text repeats, for example a pasted log with a thousand
   * copies.
   */
  private static final double MAX_TEXT_STRESS = 3;

  private static final double NAME = 4;
  private static final double PAIR = 1.2;

  /** Tags, comments and entities that a tracker's clean-up has not removed. */
  private static final Pattern MARKUP =
      Pattern.compile(
          "<!--.{0,4000}?-->|&#?\\w{1,10};|</?(?i:a|b|br|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|span|strong|style"
              + "|table|tbody|td|th|thead|tr|u|ul)\\b[^<>]{0,4000}>",
          Pattern.DOTALL);

  private static final Pattern ADDRESS = Pattern.compile("\\b(?:https?|mailto|file|data):\\S+");

  /** A file by name or path, with a line if one follows, as Java or Python write it. */
  private static final Pattern FILE =
      Pattern.compile(
          "(?<![\\w.@+-])([\\w.@+-]{1,99}(?:[/\\\\][\\w.@+-]{1,99}){0,20}\\.[A-Za-z][A-Za-z0-9]{0,9})(?:(?::|\","
              + " line )(\\d{1,6}))?");

  private static final Pattern FOLDER =
      Pattern.compile("(?<![\\w.@+-])[\\w.@+-]{1,99}(?:/[\\w.@+-]{1,99}){1,12}");

  /** The kinds of terms, from vague to exact. */
  enum Kind {
    /** One word's stem. */
    WORD,
    /** Two words next to each other. */
    PAIR,
    /** A name of several words, written as one. */
    NAME
  }

  /**
   * A term to count.
   *
   * @param shown the term as the item has it
   * @param weight how much the item stresses it
   */
  record Term(Kind kind, String shown, double weight) {}

  /**
   * A file or folder that the item names.
   *
   * @param path in lower case with forward slashes
   * @param line 0 if none was given
   */
  record Mention(String path, int line) {
    /** Whether it means this file, of which it may name less, or more: a path elsewhere. */
    boolean means(String file) {
      return file.endsWith("/" + path) || (file.lastIndexOf('/') > 0 && path.endsWith(file));
    }
  }

  private final Stems stems = new Stems();
  private final Map<String, Integer> words = new HashMap<>();
  private final Map<Long, Integer> pairs = new HashMap<>();
  private final Map<String, Integer> names = new HashMap<>();
  private final List<Term> terms = new ArrayList<>();
  private final Map<String, Mention> mentions = new LinkedHashMap<>();

  private boolean innermostLast;

  private Query() {}

  static Query of(ScoutInput input) {
    var query = new Query();
    query.read(input.title(), TITLE);
    input.modules().forEach(module -> query.read(module, LABEL));
    input.tags().forEach(tag -> query.read(tag, LABEL));
    int head = Math.min(HEAD_CHARS, input.text().length());
    query.read(input.text().substring(0, head), TEXT);
    query.read(input.text().substring(head), TAIL);
    return query;
  }

  /** Every term; its place in the list is its number. */
  List<Term> terms() {
    return terms;
  }

  List<Mention> mentions() {
    return List.copyOf(mentions.values());
  }

  /** The number of a word's term, -1 if the item does not contain it. */
  int word(String word) {
    return words.getOrDefault(stems.of(word), -1);
  }

  /** The number of a pair of words given by their numbers, -1 if the item does not contain it. */
  int pair(int first, int second) {
    return first < 0 || second < 0 ? -1 : pairs.getOrDefault(key(first, second), -1);
  }

  /** The number of a name, joined in lower case, -1 if the item does not contain it. */
  int name(String joined) {
    return names.getOrDefault(joined, -1);
  }

  private void read(String whole, double stress) {
    String raw = whole.length() > MAX_TEXT ? whole.substring(0, MAX_TEXT) : whole;
    String text = MARKUP.matcher(raw).replaceAll(" ");
    findMentions(text);
    Words.cut(
        ADDRESS.matcher(text).replaceAll(" "),
        new Words.Sink() {
          private int last = -1;

          @Override
          public void word(String word, int line, boolean first) {
            String stem = stems.of(word);
            if (stem.equals(Stems.NOTHING)) {
              return;
            }
            int term = count(words, stem, Kind.WORD, word, stress);
            if (last >= 0 && term >= 0 && last != term) {
              String shown = terms.get(last).shown() + " " + word;
              count(pairs, key(last, term), Kind.PAIR, shown, stress * PAIR);
            }
            last = term;
          }

          @Override
          public void name(String joined, int line) {
            count(names, joined, Kind.NAME, joined, stress * NAME);
          }
        });
  }

  private <K> int count(Map<K, Integer> known, K key, Kind kind, String shown, double stress) {
    Integer number = known.get(key);
    if (number != null) {
      Term term = terms.get(number);
      double most = Math.max(term.weight(), MAX_TEXT_STRESS * (kind == Kind.NAME ? NAME : 1));
      terms.set(number, new Term(kind, term.shown(), Math.min(term.weight() + stress, most)));
      return number;
    }
    if (terms.size() >= MAX_TERMS) {
      return -1;
    }
    known.put(key, terms.size());
    terms.add(new Term(kind, shown, stress));
    return terms.size() - 1;
  }

  private void findMentions(String text) {
    innermostLast = text.contains("(most recent call last)");
    Matcher file = FILE.matcher(text);
    while (file.find() && mentions.size() < MAX_MENTIONS) {
      String path = file.group(1).replace('\\', '/').toLowerCase(Locale.ROOT);
      int line = file.group(2) == null ? 0 : Integer.parseInt(file.group(2));
      mention(path, line);
      int dot = path.lastIndexOf('.');
      if (line == 0 && path.indexOf('/') < 0 && path.indexOf('.') < dot) {
        // dev.house.ledger.LedgerState is a type's name with its package as its folder.
        mention(path.replace('.', '/') + ".*", 0);
      }
    }
    Matcher folder = FOLDER.matcher(text);
    while (folder.find() && mentions.size() < MAX_MENTIONS) {
      String path = folder.group().toLowerCase(Locale.ROOT);
      if (path.indexOf('.') < 0) {
        mention(path + "/", 0);
      }
    }
  }

  private void mention(String path, int line) {
    String clean = path.replaceFirst("^(?:\\.{0,2}/)+", "");
    Mention known = mentions.get(clean);
    // The first of a file's lines is where a trace began; of Python's traces it is the last.
    if (!clean.isEmpty() && (known == null || (line > 0 && (known.line() == 0 || innermostLast)))) {
      mentions.put(clean, new Mention(clean, line));
    }
  }

  private static long key(int first, int second) {
    return ((long) first << 32) | second;
  }
}
