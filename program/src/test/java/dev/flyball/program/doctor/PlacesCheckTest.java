package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.runner.Repositories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlacesCheckTest {
  private static final Path DATA = Path.of("data");

  @Test
  void aDiskOnWhichTheBrokerDoesNotStartIsUnhealthy() {
    assertThat(PlacesCheck.space(DATA, BrokerConfig.MIN_FREE_BYTES - 1).state())
        .isEqualTo(Finding.State.UNHEALTHY);
    assertThat(PlacesCheck.space(DATA, BrokerConfig.MIN_FREE_BYTES).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(PlacesCheck.space(DATA, 1L << 30).state()).isEqualTo(Finding.State.OK);
  }

  @Test
  void aLockThatAKilledGitLeftIsNamed(@TempDir Path folder) throws Exception {
    Path git = Files.createDirectories(folder.resolve(".git"));
    Path lock = Files.writeString(git.resolve("index.lock"), "");
    Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minus(Duration.ofHours(1))));

    assertThat(PlacesCheck.repositories(Repositories.only(folder), Map.of()))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.state()).isEqualTo(Finding.State.DEGRADED);
          assertThat(finding.found()).contains(lock.toString());
        });

    Files.delete(lock);
    assertThat(PlacesCheck.repositories(Repositories.only(folder), Map.of()))
        .extracting(Finding::state)
        .containsExactly(Finding.State.OK);
  }
}
