package dev.flyball.containment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * An agent's standard input: a file, not a pipe, so that an agent that never reads it blocks no
 * other process.
 */
final class PromptFile {
  private PromptFile() {}

  static Path write(Path folder, Launch launch) throws IOException {
    Path file = folder.resolve(launch.session() + ".prompt");
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
      var bytes = ByteBuffer.wrap(launch.prompt().getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    return file;
  }

  static void forget(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next runner on this folder removes it.
      file.toFile().deleteOnExit();
    }
  }
}
