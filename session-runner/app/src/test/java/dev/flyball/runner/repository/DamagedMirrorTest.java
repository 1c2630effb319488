package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.SettableClock;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.util.FileUtils;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A mirror with damaged files")
final class DamagedMirrorTest {
  @TempDir private Path folder = Path.of("");
  @AutoClose private Origin origin;

  /** What a power cut, a full disk or a person may do to it. */
  enum Damage {
    PACK_DELETED(mirror -> each(mirror, ".pack", Files::delete)),
    PACK_CUT(mirror -> each(mirror, ".pack", file -> overwritten(file, "PACK"))),
    INDEX_EMPTY(mirror -> each(mirror, ".idx", file -> overwritten(file, ""))),
    CONFIG_OF_ZEROS(mirror -> overwritten(mirror.resolve("config"), "\0".repeat(100))),
    BRANCH_EMPTY(mirror -> overwritten(mirror.resolve("refs/heads/fetched"), "")),
    SHALLOW_UNREADABLE(mirror -> overwritten(mirror.resolve("shallow"), "x\n")),
    OBJECTS_DELETED(
        mirror -> FileUtils.delete(mirror.resolve("objects").toFile(), FileUtils.RECURSIVE));

    private final Change change;

    Damage(Change change) {
      this.change = change;
    }

    /** What is done to a file, or to a whole mirror. */
    private interface Change {
      void to(Path path) throws IOException;
    }

    private static void each(Path mirror, String end, Change change) throws IOException {
      try (Stream<Path> files = Files.list(mirror.resolve("objects/pack"))) {
        List<Path> found = files.filter(file -> file.toString().endsWith(end)).toList();
        assertThat(found).isNotEmpty();
        for (Path file : found) {
          change.to(file);
        }
      }
    }

    private static void overwritten(Path file, String text) throws IOException {
      File writable = file.toFile();
      assertThat(writable.setWritable(true)).isTrue();
      Files.writeString(file, text, StandardCharsets.ISO_8859_1);
    }
  }

  /**
   * As at the next start of a runner. JGit reads a damaged folder again and again for two seconds
   * after its last change, for it may still be changing.
   */
  private static void madeOld(Path mirror) throws IOException {
    var hourAgo = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
    try (Stream<Path> files = Files.walk(mirror)) {
      for (Path each : files.toList()) {
        Files.setLastModifiedTime(each, hourAgo);
      }
    }
  }

  @BeforeEach
  void aRepository() throws Exception {
    origin = Origin.in(folder.resolve("origin"));
    Files.writeString(origin.folder().resolve("unchanged"), "the same in every commit");
    // More than is fetched, or nothing is shallow.
    for (int i = 0; i < 51; i++) {
      origin.commit("commit " + i);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("is whole again after the next fetch")
  void itHeals(Damage damage) throws Exception {
    Mirror mirror = mirror();
    assertThat(mirror.fetched()).isEmpty();

    damage.change.to(mirror.folder());
    madeOld(mirror.folder());
    assertThat(mirror.fetched()).isEmpty();
    assertThat(read(mirror)).isEqualTo(origin.commitOf("main"));

    damage.change.to(mirror.folder());
    madeOld(mirror.folder());
    origin.commit("two");
    assertThat(mirror.fetched()).isEmpty();
    assertThat(read(mirror)).isEqualTo(origin.commitOf("main"));
  }

  @Test
  @DisplayName("an emptied configuration does not let redirects lead the token away")
  void theConfigurationIsWrittenAgain() throws Exception {
    Mirror mirror = mirror();
    assertThat(mirror.fetched()).isEmpty();
    Files.writeString(mirror.folder().resolve("config"), "");
    assertThat(mirror.fetched()).isEmpty();

    try (Repository made = Origin.opened(mirror)) {
      StoredConfig config = made.getConfig();
      assertThat(config.getBoolean("http", "followRedirects", true)).isFalse();
    }
  }

  private Mirror mirror() {
    var server = Origin.server(origin.url(), Optional.empty(), RepositoryToken.NONE, Origin.LIMITS);
    return new Mirror(folder.resolve("mirrors"), server, new SettableClock());
  }

  /** Reads every file of the mirror's commit. */
  private static String read(Mirror mirror) throws IOException {
    try (Repository made = Origin.opened(mirror);
        TreeWalk files = new TreeWalk(made)) {
      files.addTree(made.resolve("refs/heads/fetched^{tree}"));
      int count = 0;
      while (files.next()) {
        assertThat(made.open(files.getObjectId(0)).getBytes()).isNotEmpty();
        count++;
      }
      assertThat(count).isEqualTo(2);
      return Origin.head(mirror);
    }
  }
}
