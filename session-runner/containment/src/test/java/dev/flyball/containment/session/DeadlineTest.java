package dev.flyball.containment.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;

final class DeadlineTest {
  @TempDir Path folder;

  // A shell compares these digits; with others it would never see that the deadline has passed.
  @Test
  @DefaultLocale("fa-IR")
  void itsDigitsAreAsciiInEveryLocale() throws Exception {
    try (Deadline deadline = Deadline.in(new SessionFiles(folder, "s"), 1_234)) {
      assertThat(deadline.file()).hasContent("           1234            1234\n");
    }
  }
}
