package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Code points at its decisions, and the pages at what is there. */
class DocsAreCurrentTest {
  private static final Path DECISIONS = Repository.ROOT.resolve("docs/decisions");
  private static final Pattern DECISION = Pattern.compile("decisions?[ /](\\d{4})");
  private static final Pattern QUOTED = Pattern.compile("`([^`\n]+)`");
  private static final Pattern TYPE = Pattern.compile("(?<![\\w-])(?:[A-Z][a-z0-9]+){2,}\\b");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package dev\\.flyball\\.([\\w.]+);");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

  @Test
  void everyDecisionThatIsNamedExists() throws IOException {
    List<String> numbers;
    try (Stream<Path> files = Files.list(DECISIONS)) {
      numbers = files.map(file -> file.getFileName().toString().substring(0, 4)).toList();
    }
    var dangling = new TreeSet<String>();
    for (Path file : Stream.concat(Repository.sources().stream(), pages().stream()).toList()) {
      DECISION
          .matcher(Repository.read(file))
          .results()
          .filter(found -> !numbers.contains(found.group(1)))
          .forEach(found -> dangling.add(Repository.ROOT.relativize(file) + ": " + found.group()));
    }
    assertThat(dangling).isEmpty();
  }

  @Test
  void everyDecisionSaysHowItIsChecked() throws IOException {
    try (Stream<Path> files = Files.list(DECISIONS)) {
      assertThat(
              files
                  .filter(file ->
                      !Repository.read(file).toLowerCase(Locale.ROOT).contains("how we check it"))
                  .map(Path::getFileName))
          .isEmpty();
    }
  }

  @Test
  void linksBetweenPagesLeadSomewhere() {
    var dead = new TreeSet<String>();
    for (Path page : pages()) {
      Path folder = page.getParent();
      LINK.matcher(Repository.read(page))
          .results()
          .map(found -> found.group(1))
          .filter(target -> folder == null || !Files.exists(folder.resolve(target)))
          .forEach(target -> dead.add(Repository.ROOT.relativize(page) + " -> " + target));
    }
    assertThat(dead).isEmpty();
  }

  /** Otherwise a reader who follows the map finds a room that was renamed. */
  @Test
  void theMapNamesTypesAndPackagesThatExist() {
    var known = new TreeSet<String>();
    for (Path source : Repository.sources()) {
      String text = Repository.read(source);
      TYPE.matcher(text).results().forEach(found -> known.add(found.group()));
      PACKAGE.matcher(text).results().forEach(found -> known.add(found.group(1)));
    }
    var unknown = new TreeSet<String>();
    for (String page : List.of("ARCHITECTURE.md", "CONTRIBUTING.md")) {
      QUOTED
          .matcher(Repository.read(Repository.ROOT.resolve(page)))
          .results()
          .flatMap(quoted -> TYPE.matcher(quoted.group(1)).results())
          .map(MatchResult::group)
          .filter(type -> !known.contains(type))
          .forEach(type -> unknown.add(page + ": " + type));
    }
    Path scores = Repository.ROOT.resolve("quality/mutation/scores");
    Repository.read(scores)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .filter(name -> !known.contains(name))
        .forEach(name -> unknown.add(scores.getFileName() + ": " + name));
    assertThat(unknown).isEmpty();
  }

  /** S4-22: our own words are ASCII; items in examples and tests' data are not our words. */
  @Test
  void mainSourcesAreAscii() {
    var odd = new TreeSet<String>();
    for (Path module : Repository.modules()) {
      Repository.sourcesOf(module.resolve("src/main/java"))
          .filter(file -> Repository.read(file).chars().anyMatch(c -> c > 126))
          .forEach(file -> odd.add(Repository.ROOT.relativize(file).toString()));
    }
    assertThat(odd)
        .as("write other characters as \\u escapes, and only where data needs them")
        .isEmpty();
  }

  private static List<Path> pages() {
    try (Stream<Path> top = Files.list(Repository.ROOT);
        Stream<Path> docs = Files.walk(Repository.ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
