package dev.flyball.conventions;

import dev.flyball.conventions.ProvenCodes.Proof;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the product promises, as promises.tsv lists it, and the page that is made of it. */
final class PromisesPage {
  private static final int TESTS_IN_A_ROW = 6;

  private static final String INTRODUCTION =
      """
      # What Flyball promises
      <!-- Generated: ./mvnw -pl quality/conventions -am test -Dtest=PromisesTest -Ddocs=write -->

      The rows of this page come from `quality/conventions/src/test/resources/promises.tsv`,
      the tests from the test sources. `PromisesTest` fails when the page is stale.

      An **invariant** is a rule that holds at every moment, whatever fails or restarts. The other
      promises describe what the product does, and the failures that it must survive. A test carries
      the code of a promise in its display name or in the comment above it. Search the tests for a
      code to see what exactly is asserted.

      | status | means |
      |---|---|
      | held | built, and at least one test fails if it stops being true |
      | partly | some of it is built or tested; the tests in the row cover that part |
      | not built yet | planned |
      """;

  /** How far a promise is kept. */
  enum Status {
    HELD("held", "held"),
    PARTLY("partly", "partly"),
    PLANNED("planned", "not built yet");

    private final String word;
    private final String shown;

    Status(String word, String shown) {
      this.word = word;
      this.shown = shown;
    }

    static Status of(String word) {
      for (Status status : values()) {
        if (status.word.equals(word)) {
          return status;
        }
      }
      throw new IllegalArgumentException("no status: " + word + "; write held, partly or planned");
    }
  }

  /** One row, below its heading. */
  record Promise(String heading, String code, String text, Status status) {}

  private PromisesPage() {}

  /** Reads {@code # heading} lines and rows of code, text and status, separated by tabs. */
  static List<Promise> read(String tsv) {
    var promises = new ArrayList<Promise>();
    String heading = "";
    for (String line : tsv.lines().toList()) {
      if (line.startsWith("# ")) {
        heading = line.substring(2);
      } else {
        String[] cells = line.split("\t", -1);
        if (cells.length != 3) {
          throw new IllegalArgumentException("not code, promise and status: " + line);
        }
        promises.add(new Promise(heading, cells[0], cells[1], Status.of(cells[2])));
      }
    }
    return promises;
  }

  /** The page; links to tests stand at its end. */
  static String markdown(List<Promise> promises, Map<String, SortedSet<Proof>> proven) {
    var page = new StringBuilder(INTRODUCTION);
    var linked = new TreeMap<String, Path>();
    String heading = "";
    for (Promise promise : promises) {
      if (!promise.heading().equals(heading)) {
        heading = promise.heading();
        page.append("\n## ").append(heading);
        page.append("\n| code | promise | status | tests |\n|---|---|---|---|\n");
      }
      var proofs = List.copyOf(proven.getOrDefault(promise.code(), new TreeSet<>()));
      var shown = proofs.subList(0, Math.min(TESTS_IN_A_ROW, proofs.size()));
      shown.forEach(proof -> linked.put(proof.type(), proof.file()));
      page.append(
          "| %s | %s | %s | %s |\n"
              .formatted(
                  promise.code(),
                  promise.text(),
                  promise.status().shown,
                  shown.stream().map(PromisesPage::cell).collect(Collectors.joining(", "))
                      + (proofs.size() > shown.size()
                          ? " and " + (proofs.size() - shown.size()) + " more"
                          : "")));
    }
    page.append('\n');
    linked.forEach((type, file) ->
        page.append("[%s]: ../%s\n".formatted(type, Repository.ROOT.relativize(file))));
    return page.toString();
  }

  private static String cell(Proof proof) {
    String type = "[" + proof.type() + "]";
    return proof.ofWholeClass() ? type : type + " `" + proof.method() + "`";
  }
}
