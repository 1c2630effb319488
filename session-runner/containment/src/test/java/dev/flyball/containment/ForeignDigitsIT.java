package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.kernel.Kernel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A frozen runner's trees end by their deadman where the locale has other digits: at level A by
 * shells, which compare them, and at B by the warden in C.
 */
@Tag("long")
@Timeout(60)
class ForeignDigitsIT {
  private static final Duration LIFE = Duration.ofSeconds(2);

  @TempDir Path folder;

  @ParameterizedTest(name = "level {0}")
  @EnumSource(names = {"A", "B"})
  @DefaultLocale("fa-IR")
  void aFrozenRunnersTreesEndInPersian(Level level) throws Exception {
    aFrozenRunnersTreesEnd(level);
  }

  @ParameterizedTest(name = "level {0}")
  @EnumSource(names = {"A", "B"})
  @DefaultLocale("ar-EG")
  void aFrozenRunnersTreesEndInEgyptianArabic(Level level) throws Exception {
    aFrozenRunnersTreesEnd(level);
  }

  private void aFrozenRunnersTreesEnd(Level level) throws Exception {
    try (var hostile = new HostileTree(folder);
        var runner =
            new ChildRunner(folder, false, level, level != Level.A, LIFE, 1, hostile.command())) {
      assertThat(runner.output).contains("level " + level.label());
      hostile.awaitFull(1);

      runner.signal(Kernel.STOP);

      await().atMost(Duration.ofSeconds(15)).until(() -> hostile.left().isEmpty());
    }
  }
}
