package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The template of deep sessions")
class DeepTemplateTest {

  @Test
  @DisplayName("an operator's file is named with the beginning of its hash")
  void aFileIsNamedByItsContent(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("mine.md");
    Files.writeString(file, "template: mine/1\n{{item}}\n{{answer}}\n");
    DeepTemplate first = DeepTemplate.file(file);
    Files.writeString(file, "template: mine/1\nShort.\n{{item}}\n{{answer}}\n");

    assertThat(first.name()).matches("mine/1\\+[0-9a-f]{8}");
    assertThat(DeepTemplate.file(file).name()).isNotEqualTo(first.name());
    assertThat(DeepTemplate.BUNDLED.name()).isEqualTo("deep/2");
  }
}
