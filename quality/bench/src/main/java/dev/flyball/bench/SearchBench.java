package dev.flyball.bench;

import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.sqlite.Database;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the console takes to search and list many items, and few. Generated from a seed; each
 * question opens the projection as a request does, and asks for a page and for the number of
 * matches. Only the writes of the items themselves differ from the console's: no state beside them.
 */
final class SearchBench implements Bench {
  private static final long SEED = 11;
  private static final int FEW = 10_000;
  private static final int MANY = 1_000_000;
  private static final int PAGE = 50;
  private static final int ROUNDS = 20;

  /** A hundred times the items; what reads all of them takes a hundred times as long. */
  private static final double MOST_RATIO = 60;

  private static final List<String> STATES =
      List.of("running", "queued", "new", "failed", "dead", "analyzed", "analyzed", "skipped");
  private static final List<String> COMMON =
      List.of("search", "login", "report", "export", "invoice", "timeout", "window", "crash");

  @Override
  public String name() {
    return "search";
  }

  @Override
  public void run(Place place) throws Exception {
    Path few = filled(place.folder().resolve("few"), FEW);
    long begin = System.nanoTime();
    Path many = filled(place.folder().resolve("many"), MANY);
    System.out.printf(
        Locale.ROOT,
        "   %d items written in %.0f s, file of %d MB%n",
        MANY,
        (System.nanoTime() - begin) / 1e9,
        Files.size(many.resolve("console.db")) >> 20);
    Figures atFew = asked(few, FEW, true);
    Figures atMany = asked(many, MANY, true);
    System.out.printf(
        Locale.ROOT,
        "   text searched in %d items: %s, p95 %.3g; in %d: %s, p95 %.3g (seed %d)%n",
        MANY,
        atMany,
        atMany.at(95),
        FEW,
        atFew,
        atFew.at(95),
        SEED);
    Figures pages = asked(many, MANY, false);
    System.out.printf(Locale.ROOT, "   pages by state: %s, p95 %.3g%n", pages, pages.at(95));
    System.out.printf(Locale.ROOT, "   resident after it: %d MB%n", resident());
    Gate.atMost(
        MOST_RATIO, atMany.at(95) / atFew.at(95), "p95 of a search in many items to in few");
  }

  private static Figures asked(Path data, int items, boolean text) {
    var random = new SplittableRandom(SEED);
    var millis = new ArrayList<Double>();
    var worst = "";
    double longest = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
      List<ItemFilter> questions = text ? searches(random, items) : pages();
      for (ItemFilter question : questions) {
        long before = System.nanoTime();
        long found = answer(data, question);
        double took = (System.nanoTime() - before) / 1e6;
        // The first half is for the compiler and the page cache.
        if (round >= ROUNDS) {
          millis.add(took);
          if (took > longest) {
            longest = took;
            worst = question.text() + " " + question.state() + ": " + found;
          }
        }
      }
    }
    System.out.printf(Locale.ROOT, "   slowest of %d items: %s%n", items, worst);
    return Figures.of("ms", millis);
  }

  private static long answer(Path data, ItemFilter question) {
    try (ConsoleView view = ConsoleView.open(data).orElseThrow()) {
      List<ItemRow> page = view.items(question);
      if (question.text() == null && page.size() == PAGE) {
        view.items(question.after(page.getLast()));
      }
      return view.count(question);
    }
  }

  private static List<ItemFilter> searches(SplittableRandom random, int items) {
    String id = String.valueOf(9_000_000 + random.nextInt(items));
    String common = COMMON.get(random.nextInt(COMMON.size()));
    String other = COMMON.get(random.nextInt(COMMON.size()));
    return List.of(
        filter(id, null),
        filter(id.substring(2), null),
        filter("acme/s1/" + id.substring(0, 5), null),
        filter(word(random.nextInt(20_000)), null),
        filter(common, null),
        filter(common + " " + other, null),
        filter(common + " " + word(random.nextInt(20_000)), null),
        filter(common.substring(1, 4), "running"),
        filter(common, "skipped"),
        filter("nothing-has-this", null));
  }

  private static List<ItemFilter> pages() {
    var pages = new ArrayList<ItemFilter>();
    pages.add(filter(null, null));
    STATES.stream().distinct().forEach(state -> pages.add(filter(null, state)));
    pages.add(new ItemFilter("analyzed", "acme", "acme/s1", null, null, PAGE));
    return pages;
  }

  private static ItemFilter filter(@Nullable String text, @Nullable String state) {
    return new ItemFilter(state, null, null, text, null, PAGE);
  }

  /** A projection with this many items, a quarter in each of four sources. */
  private static Path filled(Path data, int items) throws Exception {
    var random = new SplittableRandom(SEED);
    try (Database sql =
        Database.open(
            data.resolve("console.db"), ProjectionFile.schema(), "choose another folder")) {
      for (int from = 0; from < items; from += 10_000) {
        int first = from;
        int end = Math.min(items, from + 10_000);
        sql.transaction(() -> {
          sql.updateAll(
              "INSERT INTO item (key, tenant, source, title, state, turn, revision, priority,"
                  + " updated_at, waiting_since, spent_micros, text) VALUES (?, 'acme', ?, ?, ?, ?,"
                  + " '1', ?, ?, NULL, 0, ?)",
              IntStream.range(first, end).mapToObj(n -> row(n, random)));
          return end;
        });
      }
    }
    return data;
  }

  private static @Nullable Object[] row(int n, SplittableRandom random) {
    String source = "acme/s" + n % 4;
    String key = source + "/" + (9_000_000 + n);
    var title = new StringBuilder("Issue");
    for (int i = 0; i < 8; i++) {
      boolean common = random.nextInt(10) < 3;
      title
          .append(' ')
          .append(
              common ? COMMON.get(random.nextInt(COMMON.size())) : word(random.nextInt(20_000)));
    }
    String state = STATES.get(random.nextInt(STATES.size()));
    return new Object[] {
      key,
      source,
      title.toString(),
      state,
      ItemFilter.turn(state),
      1 + random.nextInt(5),
      Instant.EPOCH.plusSeconds(n),
      (key + "\n" + title).toLowerCase(Locale.ROOT)
    };
  }

  /** One of 20,000 words of two to four syllables. */
  private static String word(int n) {
    var random = new SplittableRandom(n);
    var word = new StringBuilder();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      word.append("bcdfghklmnprstvw".charAt(random.nextInt(16)));
      word.append("aeiou".charAt(random.nextInt(5)));
    }
    return word.toString();
  }

  private static long resident() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
        .findFirst()
        .orElse(0);
  }
}
