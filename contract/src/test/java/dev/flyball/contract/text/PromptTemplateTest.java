package dev.flyball.contract.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A prompt's template")
class PromptTemplateTest {
  private static final PromptTemplate.Variables VARIABLES =
      new PromptTemplate.Variables(Set.of("item"), Set.of("reason"));

  @Test
  void valuesAreInsertedOnceAndNeverExpandedThemselves() {
    PromptTemplate template = parse("template: deep/3\n{{reason}}: {{ item }} {{item}} }}\n");

    assertThat(template.version()).isEqualTo("deep/3");
    assertThat(template.expand(Map.of("item", "{{reason}}", "reason", "$1 \\0 {{item}}")))
        .isEqualTo("$1 \\0 {{item}}: {{reason}} {{reason}} }}\n");
  }

  @ParameterizedTest
  @DisplayName("what is wrong is named with its file and line, and with every known variable")
  @CsvSource({
    "template: a/1|{{item}} {{itme}},       f.md:2: unknown variable 'itme'",
    "template: a/1|{{item}}||{{}},          f.md:4: unknown variable ''",
    "template: a/1|{{item}}|x {{reason|}},  f.md:3: {{ is not closed",
    "template: a/1|{{item}}|{{,             f.md:3: {{ is not closed",
    "template: a/1|{{reason}}|,             f.md:2: {{item}} is missing",
  })
  void strict(String text, String begins) {
    assertThatThrownBy(() -> parse(text.replace('|', '\n')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(begins)
        .hasMessageEndingWith("the variables are item, reason");
  }

  @Test
  void aTemplateWithoutANameIsNone() {
    assertThatThrownBy(() -> parse("{{item}}\n")).hasMessageStartingWith("f.md:1: no name");
    assertThatThrownBy(() -> parse("")).hasMessageStartingWith("f.md:1: no name");
  }

  @Test
  @DisplayName("a value that the caller forgot, or that no template knows, is an error of its own")
  void everyVariableHasAValue() {
    PromptTemplate template = parse("template: a/1\n{{item}}");

    assertThatThrownBy(() -> template.expand(Map.of("item", "x")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> template.expand(Map.of("item", "x", "other", "y")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("an operator's file is named with the beginning of its hash")
  void aFileIsNamedByItsContent(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("mine.md"), "template: mine/1\n{{item}}\n");
    String first = PromptTemplate.own(file, VARIABLES).version();
    Files.writeString(file, "template: mine/1\nShort.\n{{item}}\n");

    assertThat(first).matches("mine/1\\+[0-9a-f]{8}");
    assertThat(PromptTemplate.own(file, VARIABLES).version())
        .startsWith("mine/1+")
        .isNotEqualTo(first);
  }

  @Test
  void aFileThatIsMissingOrTooLargeIsNamed(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("mine.md");
    assertThatThrownBy(() -> PromptTemplate.own(file, VARIABLES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file.toString());
    Files.writeString(file, "template: a/1\n" + "x".repeat(256 * 1024));
    assertThatThrownBy(() -> PromptTemplate.own(file, VARIABLES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file.toString());
  }

  private static PromptTemplate parse(String text) {
    return PromptTemplate.parse("f.md", text, VARIABLES);
  }
}
