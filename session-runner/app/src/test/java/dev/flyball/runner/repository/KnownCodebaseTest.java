package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.repository.SourceWorkplaces.KnownCodebase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The summary of a repository, shared by all sessions (S0-38, S4-11)")
final class KnownCodebaseTest {
  @TempDir private Path folder = Path.of("");
  private Path repository = Path.of("");
  private final KnownCodebase known = new KnownCodebase(Path.of("/nowhere"), new ElapsedClock());

  @BeforeEach
  void aFolder() throws Exception {
    repository = Files.createDirectory(folder.resolve("product"));
    Files.writeString(repository.resolve("One.java"), "x");
  }

  @Test
  @DisplayName("it is there for the first prompt, and made once for a head, whatever its folder")
  void itIsMadeOnceForAHead() throws Exception {
    String commit = commit();
    String first = known.of(repository, commit);

    assertThat(first).contains("One.java", "Commit " + commit);
    assertThat(known.of(repository, commit)).isSameAs(first);
    assertThat(known.of(folder.resolve("other"), commit)).isSameAs(first);
  }

  @Test
  void aHeadThatMovesIsReadAgain() throws Exception {
    String first = known.of(repository, commit());
    Files.writeString(repository.resolve("Two.java"), "x");
    String moved = commit();

    assertThat(first).doesNotContain("Two.java");
    assertThat(known.of(repository, moved)).contains("Two.java", "Commit " + moved);
  }

  @Test
  void aFolderThatIsInNoRepositoryIsListed() {
    assertThat(known.of(repository, null)).contains("One.java", "No commit");
  }

  @Test
  void aFolderThatIsGoneKeepsNoSessionFromStarting() {
    assertThat(known.of(folder.resolve("gone"), "c0ffee")).isEmpty();
  }

  private String commit() throws Exception {
    try (Origin made = Origin.in(repository)) {
      return made.commit("One.java", "x");
    }
  }
}
