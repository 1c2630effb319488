package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Rewrites the page with {@code -Ddocs=write}. */
final class ConfigurationDocsTest {
  private static final Path PAGE = Path.of("../docs/configuration.md");

  @Test
  void thePageOfTheConfigurationIsCurrent() throws IOException {
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, ConfigurationDocs.markdown());
    }
    assertThat(Files.readString(PAGE)).isEqualTo(ConfigurationDocs.markdown());
  }
}
