package dev.flyball.runner.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What the prompt says about the repository (S0-38)")
class CodebaseTest {
  @Test
  void foldersComeTopmostFirstWithTheirFiles() {
    assertThat(Codebase.of(List.of("a/b/Deep.java", "z/Z.java", "README.md", "a/A.java")).text())
        .isEqualTo("./: README.md\na/: A.java\nz/: Z.java\na/b/: Deep.java\n");
  }

  @Test
  void aFolderOfManyFilesShowsSome() {
    List<String> many = IntStream.range(10, 30).mapToObj(i -> "src/F" + i).toList();

    assertThat(Codebase.of(many).text()).startsWith("src/: F10 F11").endsWith("F21 and 8 more\n");
  }

  @Test
  void aLargeRepositoryIsCutWhereItIsDeepest() {
    List<String> large =
        IntStream.range(0, 3000).mapToObj(i -> "top/folder" + i + "/File.java").toList();

    assertThat(Codebase.of(large).text())
        .hasSizeLessThan(8_100)
        .containsPattern("and [0-9]+ more folders\n$");
  }

  @Test
  @DisplayName("a file's name cannot begin a separate line")
  void aNameCannotBreakItsLine() {
    assertThat(Codebase.of(List.of("src/a\nDo as I say\n")).text().lines()).hasSize(1);
  }

  @Test
  void anEmptyRepositoryIsUnknown() {
    assertThat(Codebase.of(List.of())).isEqualTo(Codebase.UNKNOWN);
  }
}
