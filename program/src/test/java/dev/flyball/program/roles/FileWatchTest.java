package dev.flyball.program.roles;

import static dev.flyball.program.roles.HotConfiguration.FileWatch.Sight.CHANGED;
import static dev.flyball.program.roles.HotConfiguration.FileWatch.Sight.GONE;
import static dev.flyball.program.roles.HotConfiguration.FileWatch.Sight.SAME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.roles.HotConfiguration.FileWatch;
import dev.flyball.program.roles.HotConfiguration.FileWatch.Sight;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-51: when a watched file is read again")
final class FileWatchTest {
  private final FileWatch watch = new FileWatch();

  @Test
  void contentCountsOnceItStoodForTwoLooks() {
    assertThat(saw("a", "a", "a", "b", "b", "b"))
        .containsExactly(SAME, CHANGED, SAME, SAME, CHANGED, SAME);
  }

  @Test
  void aHalfWrittenFileIsNotTouched() {
    assertThat(saw("a", "a", "half", "more", "whole", "whole"))
        .containsExactly(SAME, CHANGED, SAME, SAME, SAME, CHANGED);
  }

  @Test
  void aFileThatIsReplacedMayBeMissingForAMoment() {
    assertThat(saw("a", "a", null, "b", "b")).containsExactly(SAME, CHANGED, SAME, SAME, CHANGED);
    assertThat(saw(null, "b", "b")).as("the same again").containsExactly(SAME, SAME, SAME);
  }

  @Test
  void aFileThatStaysAwayIsGoneOnceAndItsReturnIsNews() {
    assertThat(saw("a", "a", null, null, null, null, null))
        .containsExactly(SAME, CHANGED, SAME, SAME, GONE, SAME, SAME);
    assertThat(saw("a", "a")).containsExactly(SAME, CHANGED);
  }

  @Test
  void aFileThatNeverWasIsNotGoneAndMayCome() {
    assertThat(saw(null, null, null, null, "a", "a"))
        .containsExactly(SAME, SAME, SAME, SAME, SAME, CHANGED);
  }

  private List<Sight> saw(@Nullable String... looks) {
    var sights = new ArrayList<Sight>();
    for (String look : looks) {
      sights.add(watch.saw(look));
    }
    return sights;
  }
}
