package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Keys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CapChangeTest {
  @Test
  void onlyTheCommandLineChangesTheCapOfASeededLedger(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("flyball.yaml"), "cap: 3\n");
    Configuration ofFile = ConfigurationLoader.load(file, Map.of("FLYBALL_CAP", "4"), List.of());

    assertThat(CapChange.named(ofFile)).isFalse();
    assertThat(CapChange.named(ofFile.with(Keys.CAP, "3", "--cap"))).isTrue();
  }
}
