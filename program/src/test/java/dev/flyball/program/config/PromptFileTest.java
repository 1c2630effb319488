package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.program.config.AppConfigurations.PromptFile;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.triage.classify.BatchPrompt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("An operator's prompt")
class PromptFileTest {
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void prepare() {
    file = folder.resolve("mine.md");
  }

  @Test
  @DisplayName("is named with the beginning of its hash")
  void aFileIsNamedByItsContent() throws IOException {
    Files.writeString(file, "template: mine/1\n{{item}}\n{{answer}}\n");
    String first = PromptFile.read(file, DeepPrompt.VARIABLES).version();
    Files.writeString(file, "template: mine/1\nShort.\n{{item}}\n{{answer}}\n");

    assertThat(first).matches("mine/1\\+[0-9a-f]{8}");
    assertThat(PromptFile.read(file, DeepPrompt.VARIABLES).version())
        .startsWith("mine/1+")
        .isNotEqualTo(first);
  }

  @Test
  void aFileThatIsMissingOrTooLargeIsAnErrorWithItsName() throws IOException {
    assertThatThrownBy(() -> PromptFile.read(file, DeepPrompt.VARIABLES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file.toString());
    Files.writeString(file, "template: a/1\n" + "x".repeat(256 * 1024));
    assertThatThrownBy(() -> PromptFile.read(file, DeepPrompt.VARIABLES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file.toString());
  }

  @Test
  @DisplayName("of a session is no question about a batch")
  void theVariablesOfOneAreNotThoseOfTheOther() throws IOException {
    Files.writeString(file, "template: mine/1\n{{item}}\n{{answer}}\n");
    assertThatThrownBy(() -> PromptFile.read(file, BatchPrompt.VARIABLES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ids, items");
  }

  @Test
  @DisplayName("of either kind is checked before anything starts")
  void aWrongFileIsFoundBeforeTheStart() throws IOException {
    Files.writeString(file, "no template\n");
    for (String key : new String[] {"sessions.prompt", "triage.prompt"}) {
      var apps = new AppConfigurations(configured(key));
      assertThatThrownBy(apps::check)
          .as(key)
          .isInstanceOf(ConfigurationError.class)
          .hasMessageContaining(file + ":1");
    }
  }

  private Configuration configured(String key) throws IOException {
    Path yaml = Files.writeString(folder.resolve("flyball.yaml"), key + ": " + file + "\n");
    return ConfigurationLoader.load(yaml, Map.of(), List.of());
  }
}
