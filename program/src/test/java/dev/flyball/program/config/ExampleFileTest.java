package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** examples/flyball.yaml, as it is and with everything uncommented. */
final class ExampleFileTest {
  private static final Path EXAMPLE = Path.of("../examples/flyball.yaml");

  @TempDir Path folder;

  @Test
  void theExampleIsAccepted() {
    assertThat(load(EXAMPLE).sources()).hasSize(1);
  }

  @Test
  void everySourceInItIsAcceptedWhenItIsUncommented() throws IOException {
    String all = Files.readString(EXAMPLE).replaceAll("(?m)^#(  +[-a-z].*)$", "$1");
    Path file = Files.writeString(folder.resolve("flyball.yaml"), all);

    assertThat(load(file).sources().stream().map(it -> it.source().getClass().getSimpleName()))
        .hasSameElementsAs(Stream.of("AzureDevOps", "GitHub", "Jira", "Jsonl", "Redmine").toList());
  }

  private static AppConfigurations load(Path file) {
    var apps = new AppConfigurations(ConfigurationLoader.load(file, Map.of(), List.of()));
    apps.check();
    return apps;
  }
}
