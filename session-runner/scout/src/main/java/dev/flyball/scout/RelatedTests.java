package dev.flyball.scout;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the tests of files: those named after one, else those that mention its class. Pure.
 *
 * @param paths all files of the repository, sorted
 * @param texts reads a file
 * @param timeIsUp true when no further file is to be read
 */
record RelatedTests(
    List<String> paths, Function<String, Optional<String>> texts, BooleanSupplier timeIsUp) {
  private static final int MAX = 3;
  private static final int MAX_EACH = 2;

  /** Most tests that are read for one class, the nearest ones. */
  private static final int MAX_READ = 500;

  /** A test by its name; what is left without the mark is the name of what it tests. */
  private static final Pattern MARKED =
      Pattern.compile(
          "(?:[Tt]est[_-]|Test(?=\\p{Lu}))(.+)|(.+?)(?:[._-](?:test|spec)s?|Test(?:s|Case)?|Spec|IT)");

  /** The tests of the files, those of the first one first; each with the reason. */
  List<String> of(List<String> files) {
    var tests = new LinkedHashMap<String, String>();
    for (String file : files) {
      if (FileKind.of(file) == FileKind.CODE && !test(file)) {
        List<String> named = named(file);
        String why = (named.isEmpty() ? ": mentions " : ": named after ") + FileKind.base(file);
        (named.isEmpty() ? mentioning(file) : named).forEach(test -> tests.putIfAbsent(test, why));
      }
    }
    return tests.entrySet().stream()
        .limit(MAX)
        .map(test -> test.getKey() + test.getValue())
        .toList();
  }

  /** A test of a common name belongs to the nearest file of that name. */
  private List<String> named(String file) {
    String name = subject(file);
    List<String> alike =
        paths.stream().filter(path -> code(path) && subject(path).equals(name)).toList();
    return alike.stream()
        .filter(RelatedTests::test)
        .filter(test ->
            alike.stream()
                .noneMatch(other -> !test(other) && shared(other, test) > shared(file, test)))
        .sorted(nearest(file))
        .limit(MAX_EACH)
        .toList();
  }

  private List<String> mentioning(String file) {
    String name = FileKind.base(file);
    // A plain word is in many texts that do not mean the file.
    if (name.length() < 4 || name.chars().noneMatch(c -> c == '_' || Character.isUpperCase(c))) {
      return List.of();
    }
    Predicate<String> mentions =
        Pattern.compile("(?<!\\w)" + Pattern.quote(name) + "(?!\\w)").asPredicate();
    String ending = file.substring(file.lastIndexOf('.') + 1);
    return paths.stream()
        .filter(path -> path.endsWith(ending) && code(path))
        .filter(path -> MARKED.matcher(FileKind.base(path)).matches())
        .sorted(nearest(file))
        .limit(MAX_READ)
        .takeWhile(_ -> !timeIsUp.getAsBoolean())
        .filter(test -> texts.apply(test).filter(mentions).isPresent())
        .limit(MAX_EACH)
        .toList();
  }

  /** What a test is named after; of any other file its name. */
  private static String subject(String path) {
    Matcher marked = MARKED.matcher(FileKind.base(path));
    return Words.joined(
        !marked.matches() ? FileKind.base(path) : marked.group(marked.group(1) == null ? 2 : 1));
  }

  private static boolean test(String path) {
    return FileKind.of(path) == FileKind.TEST || MARKED.matcher(FileKind.base(path)).matches();
  }

  private static boolean code(String path) {
    FileKind kind = FileKind.of(path);
    return kind == FileKind.CODE || kind == FileKind.TEST;
  }

  private static Comparator<String> nearest(String file) {
    return Comparator.comparingLong((String test) -> -shared(file, test))
        .thenComparing(Comparator.naturalOrder());
  }

  /** How many parts of the two paths are the same. */
  private static long shared(String path, String other) {
    List<String> parts = List.of(path.split("/"));
    return Arrays.stream(other.split("/")).filter(parts::contains).count();
  }
}
