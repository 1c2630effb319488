package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Lock files that a killed git leaves")
final class GitLocksTest {
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

  @TempDir private Path repository = Path.of("");
  private Path lock = Path.of("");

  @BeforeEach
  void aLock() throws IOException {
    Files.createDirectories(repository.resolve(".git/refs"));
    Files.writeString(repository.resolve(".git/index"), "");
    lock = Files.writeString(repository.resolve(".git/index.lock"), "");
    Files.setLastModifiedTime(lock, FileTime.from(NOW));
  }

  @Test
  void aLockThatNoProcessHoldsIsNamed() {
    assertThat(GitLocks.left(repository, Instant.EPOCH, NOW.plusSeconds(1))).containsExactly(lock);
  }

  @Test
  void aLockOfARunningGitIsNot() throws IOException {
    try (var _ = FileChannel.open(lock, StandardOpenOption.WRITE)) {
      assertThat(GitLocks.left(repository, Instant.EPOCH, NOW.plusSeconds(1))).isEmpty();
    }
  }

  @Test
  void oneThatIsOlderThanTheSessionOrNewerThanAskedForIsNot() {
    assertThat(GitLocks.left(repository, NOW, NOW.plusSeconds(1))).isEmpty();
    assertThat(GitLocks.left(repository, Instant.EPOCH, NOW)).isEmpty();
  }

  @Test
  void aFolderWithoutARepositoryHasNone() {
    assertThat(GitLocks.left(repository.resolve("no"), Instant.EPOCH, NOW)).isEmpty();
  }
}
