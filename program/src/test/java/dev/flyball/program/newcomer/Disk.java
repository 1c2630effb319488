package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small disk of its own, for what happens when it is full or read-only. Needs root. */
final class Disk implements AutoCloseable {
  private final Path folder;

  private Disk(Path folder) {
    this.folder = folder;
  }

  /** Mounts one there. */
  static Disk mount(Path folder, int megabytes) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    command("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", folder.toString());
    return new Disk(folder);
  }

  Path folder() {
    return folder;
  }

  Disk readOnly() {
    command("mount", "-o", "remount,ro", folder.toString());
    return this;
  }

  /** Takes what is left. */
  Disk fill() {
    try (OutputStream out = Files.newOutputStream(filling())) {
      var piece = new byte[4096];
      while (true) {
        out.write(piece);
      }
    } catch (IOException full) {
      return this;
    }
  }

  /** Gives it back. */
  void free() {
    try {
      Files.delete(filling());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    command("umount", "-l", folder.toString());
  }

  private Path filling() {
    return folder.resolve("filling");
  }

  private static void command(String... words) {
    try {
      assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
