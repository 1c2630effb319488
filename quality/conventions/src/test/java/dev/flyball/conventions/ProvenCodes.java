package dev.flyball.conventions;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The codes of promises that tests carry: in a {@code @DisplayName} or a comment before a class or
 * a test method. A code inside a method proves nothing.
 */
final class ProvenCodes {
  /** Codes of promises; times such as T11:58 and dates are none. */
  static final Pattern CODE =
      Pattern.compile("\\b(INV-[1-9]|MC-[0-9]+|S[0-4]-[0-9]+|T(?:1[0-6]|[1-9]))\\b(?!:[0-9])");

  private static final Pattern WORDS =
      Pattern.compile(
          "@DisplayName\\(.*?\"\\)\\s|/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"",
          Pattern.DOTALL);
  private static final Pattern TYPE = Pattern.compile("(?:\\w+ )*class \\w+.*");
  private static final Pattern METHOD = Pattern.compile("  (?:public )?void (\\w+)\\(.*");
  private static final Pattern STATEMENT = Pattern.compile("  +[^ */].*;");

  /** A test class, or one method of it. */
  record Proof(Path file, String method) implements Comparable<Proof> {
    /** Whole classes first: they say most. */
    private static final Comparator<Proof> ORDER =
        Comparator.comparing(Proof::ofWholeClass)
            .reversed()
            .thenComparing(Proof::type)
            .thenComparing(Proof::method)
            .thenComparing(Proof::file);

    String type() {
      return file.getFileName().toString().replace(".java", "");
    }

    boolean ofWholeClass() {
      return method.isEmpty();
    }

    @Override
    public int compareTo(Proof other) {
      return ORDER.compare(this, other);
    }
  }

  private ProvenCodes() {}

  /** Every code with its tests; a class that carries it hides its methods that do. */
  static Map<String, SortedSet<Proof>> ofAllTests() {
    var found = new TreeMap<String, SortedSet<Proof>>();
    Repository.modules().stream()
        .flatMap(module -> Repository.sourcesOf(module.resolve("src/test/java")))
        .filter(file -> file.toString().matches(".*(Test|IT|Conformance)\\.java"))
        .forEach(file -> read(file, Repository.read(file), found));
    for (SortedSet<Proof> proofs : found.values()) {
      var whole = proofs.stream().filter(Proof::ofWholeClass).map(Proof::file).toList();
      proofs.removeIf(proof -> !proof.ofWholeClass() && whole.contains(proof.file()));
    }
    return found;
  }

  /** Reads one test's source, formatted as every source is. */
  static void read(Path file, String source, Map<String, SortedSet<Proof>> found) {
    var header = new StringBuilder();
    boolean inType = false;
    boolean inBody = false;
    for (String line : source.lines().toList()) {
      var method = METHOD.matcher(line);
      if (!inType && TYPE.matcher(line).matches()) {
        add(file, "", header, found);
        inType = true;
      } else if (inType && !inBody && method.matches()) {
        add(file, method.group(1), header, found);
        inBody = !line.endsWith("}");
      } else if (line.equals("  }")) {
        header.setLength(0);
        inBody = false;
      } else if (inType && !inBody && STATEMENT.matcher(line).matches()) {
        header.setLength(0);
      } else if (!inBody) {
        header.append(line).append('\n');
      }
    }
  }

  private static void add(
      Path file, String method, StringBuilder header, Map<String, SortedSet<Proof>> found) {
    WORDS
        .matcher(header)
        .results()
        .map(words -> words.group())
        .filter(words -> !words.startsWith("\""))
        .flatMap(ProvenCodes::codes)
        .forEach(
            code -> found.computeIfAbsent(code, _ -> new TreeSet<>()).add(new Proof(file, method)));
    header.setLength(0);
  }

  /** Every code in a text, in its order. */
  static Stream<String> codes(String text) {
    return CODE.matcher(text).results().map(match -> match.group(1));
  }
}
