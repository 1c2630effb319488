package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The pages point at what is there. */
class DocsAreCurrentTest {
  private static final Path GUARANTEES = Repository.ROOT.resolve("docs/design.md");
  private static final Pattern TEST =
      Pattern.compile("`(\\w+(?:Test|IT|Conformance))(?:\\.(\\w+))?`");
  private static final Pattern QUOTED = Pattern.compile("`([^`\n]+)`");
  private static final Pattern TYPE = Pattern.compile("(?<![\\w-])(?:[A-Z][a-z0-9]+){2,}\\b");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package dev\\.flyball\\.([\\w.]+);");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

  @Test
  void linksBetweenPagesLeadSomewhere() {
    var dead = new TreeSet<String>();
    for (Path page : Repository.pages()) {
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

  @Test
  @DisplayName("each guarantee names tests that exist")
  void everyGuaranteeHasItsTests() {
    String page = Repository.read(GUARANTEES);
    List<Path> tests = Repository.sources();
    var missing = new TreeSet<String>();
    for (MatchResult named : TEST.matcher(page).results().toList()) {
      boolean there =
          tests.stream()
              .filter(file -> file.endsWith(named.group(1) + ".java"))
              .map(Repository::read)
              .anyMatch(
                  test -> named.group(2) == null || test.contains("void " + named.group(2) + "("));
      if (!there) {
        missing.add(named.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(page.split("\n## Guarantees\n")[1].split("\n## ")[0].lines())
        .filteredOn(line -> line.startsWith("| ") && !line.startsWith("| guarantee"))
        .hasSizeGreaterThan(20)
        .allMatch(row -> TEST.matcher(row).find());
  }

  /** Our own words are ASCII; items in examples and tests' data are not our words. */
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
}
