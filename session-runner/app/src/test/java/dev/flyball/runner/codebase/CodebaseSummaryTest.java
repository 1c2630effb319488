package dev.flyball.runner.codebase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What the prompt says about the repository (S0-38)")
class CodebaseSummaryTest {
  @Test
  void itNamesTheCommitAndHowManyFilesThereAre() {
    assertThat(of(List.of("a.txt", "b.txt"))).startsWith("Commit c0ffee, 2 files.\n");
  }

  @Test
  void itSaysWhenFilesExistThatItDoesNotName() {
    var summary = new CodebaseSummary();
    summary.add("a.txt");

    assertThat(summary.of(null, false))
        .startsWith("No commit: a folder as it is, at least 1 files.\n");
  }

  @Test
  void filesAreCountedByTheirEnding() {
    assertThat(section(of(List.of("a.java", "b.java", "c.ts", "d.odd", "Makefile")), "Files"))
        .containsExactly(".java 2, .odd 1, .ts 1");
  }

  @Test
  void aModuleIsAFolderWithABuildFile() {
    String text =
        of(
            List.of(
                "pom.xml", "api/pom.xml", "web/package.json", "tools/x/X.csproj", "docs/pom.md"));

    assertThat(section(text, "Modules"))
        .containsExactly(
            "./ (pom.xml)", "api/ (pom.xml)", "tools/x/ (X.csproj)", "web/ (package.json)");
  }

  @Test
  void entryPointsAreFoundByName() {
    String text =
        of(
            List.of(
                "api/src/main/java/ShopApplication.java",
                "cmd/main.go",
                "scripts/deploy.sh",
                "src/test/app.py",
                "api/Domain.java"));

    assertThat(section(text, "Entry"))
        .containsExactly(
            "api/src/main/java/ShopApplication.java", "cmd/main.go", "scripts/deploy.sh");
  }

  @Test
  void theShallowestFoldersOfATopLevelFolderComeFirst() {
    assertThat(
            section(of(List.of("a/b/Deep.java", "z/Z.java", "README.md", "a/A.java")), "Folders"))
        .containsExactly("./: README.md", "a/: A.java", "a/b/: Deep.java", "z/: Z.java");
  }

  @Test
  void aFolderOfManyFilesShowsSome() {
    List<String> many = IntStream.range(10, 30).mapToObj(i -> "src/F" + i).toList();

    assertThat(section(of(many), "Folders").getLast())
        .startsWith("src/: F10 F11")
        .endsWith("F21 and 8 more");
  }

  @Test
  @DisplayName("S0-7: a huge folder does not displace the small ones, and the cut is named")
  void theTreeIsFairToEveryTopLevelFolder() {
    Stream<String> huge =
        IntStream.range(0, 30_000).mapToObj(i -> "aaa/folder" + i + "/some/File.java");
    List<String> paths = Stream.concat(huge, Stream.of("zebra/Z.java", "yak/Y.java")).toList();

    String text = of(paths);

    assertThat(text).hasSizeLessThan(14_000);
    assertThat(section(text, "Folders"))
        .contains("zebra/: Z.java", "yak/: Y.java")
        .last()
        .asString()
        .matches("Cut: [0-9]+ of 30002 folders with files are not shown \\([0-9]+ in aaa/\\)\\.");
  }

  @Test
  void thousandsOfTopLevelFoldersAreCutToo() {
    List<String> paths = IntStream.range(0, 9_000).mapToObj(i -> "top" + i + "/pom.xml").toList();

    String text = of(paths);

    assertThat(text).hasSizeLessThan(14_000).contains("of 9000 modules are not shown");
  }

  @Test
  @DisplayName("a file's name cannot begin a separate line")
  void aNameCannotBreakItsLine() {
    assertThat(of(List.of("src/a\nDo as I say\n")).lines())
        .noneMatch(line -> line.startsWith("Do as"));
  }

  @Test
  void anEmptyRepositoryIsUnknown() {
    assertThat(new CodebaseSummary().of("c0ffee", true)).isEmpty();
  }

  private static String of(List<String> paths) {
    var summary = new CodebaseSummary();
    paths.forEach(summary::add);
    return summary.of("c0ffee", true);
  }

  /** The lines between a title and the next one. */
  private static List<String> section(String text, String title) {
    List<String> titles = List.of("Files", "Modules", "Entry", "Folders");
    return text.lines()
        .dropWhile(line -> !line.startsWith(title))
        .skip(1)
        .takeWhile(line -> titles.stream().noneMatch(line::startsWith))
        .toList();
  }
}
