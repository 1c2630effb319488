package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

@DisplayName("docker-compose.yml hands each role its own credentials and no other's")
final class ComposeFileTest {
  private static final Path CLONE = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGE = CLONE.resolve("docs/deploy.md");

  /** A path of one variable with a default, the only form that docker-compose 1.29 knows. */
  private static final Pattern FILE =
      Pattern.compile("\\$\\{(FLYBALL_[A-Z]+_ENV):-(\\./[a-z/.]+)}");

  @Test
  @DisplayName("each of another variable, whose default exists and holds none, as the page says")
  void eachRoleHasASeparateEnvFile() throws IOException {
    Map<String, Matcher> files = envFiles();

    assertThat(files.keySet())
        .containsExactlyInAnyOrder("producer", "triage-stream", "session-runner", "console");
    assertThat(files.values()).extracting(each -> each.group(1)).doesNotHaveDuplicates();
    String page = Files.readString(PAGE);
    for (var file : files.entrySet()) {
      assertThat(Files.readAllLines(CLONE.resolve(file.getValue().group(2))))
          .allMatch(line -> line.startsWith("#"));
      assertThat(page).contains("| `" + file.getKey() + "` | `" + file.getValue().group(1) + "` |");
    }
  }

  private static Map<String, Matcher> envFiles() throws IOException {
    Map<String, Map<String, Map<String, Object>>> compose =
        new Yaml().load(Files.readString(CLONE.resolve("docker-compose.yml")));
    var found = new LinkedHashMap<String, Matcher>();
    Objects.requireNonNull(compose.get("services"))
        .forEach((name, service) -> {
          if (service.get("env_file") != null) {
            Matcher file = FILE.matcher(String.valueOf(service.get("env_file")));
            assertThat(file.matches()).as(name).isTrue();
            found.put(name, file);
          }
        });
    return found;
  }
}
