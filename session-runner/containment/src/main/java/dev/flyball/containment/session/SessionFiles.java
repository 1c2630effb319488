package dev.flyball.containment.session;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The files of one session, which only this user can read.
 *
 * @param folder the runner's folder for such files
 * @param session session id, the files' name
 */
public record SessionFiles(Path folder, String session) {
  /** Of this version and of earlier ones, which named the launch file an order. */
  private static final String OLD_FILES = "*.{deadline,prompt,launch,order,half}";

  /** Creates the folder, for this user only, and removes what a dead predecessor left in it. */
  public static void prepare(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, OLD_FILES)) {
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** The deadline, until its name is removed. */
  Path deadline() {
    return folder.resolve(session + ".deadline");
  }

  /**
   * The agent's standard input: a file, not a pipe, so that an agent that never reads it blocks no
   * other process.
   */
  public Path prompt() {
    return folder.resolve(session + ".prompt");
  }

  /** What a supervisor starts; it removes the file when it reads it. */
  public Path launch() {
    return folder.resolve(session + ".launch");
  }

  /** Writes the agent's standard input. */
  public void writePrompt(String text) throws IOException {
    write(prompt(), text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes what a supervisor starts. */
  public void writeLaunch(byte[] content) throws IOException {
    write(launch(), content);
  }

  private static void write(Path file, byte[] content) throws IOException {
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
      var bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Removes the prompt and the launch file. */
  public void remove() {
    remove(prompt());
    remove(launch());
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next runner on this folder removes it.
      file.toFile().deleteOnExit();
    }
  }
}
