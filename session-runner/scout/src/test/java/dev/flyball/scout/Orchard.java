package dev.flyball.scout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A small made-up repository, kept in one file so that nothing of it is mistaken for code of ours.
 */
final class Orchard {
  private Orchard() {}

  /** Unpacks it. */
  static void unpack(Path folder) throws IOException {
    for (String file : text("orchard.txt").split("(?m)^=== ")) {
      if (!file.isEmpty()) {
        int end = file.indexOf('\n');
        write(folder, file.substring(0, end), file.substring(end + 1));
      }
    }
  }

  static void write(Path folder, String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, text);
  }

  /** Rows of a table of questions: title, text, expected. */
  static List<List<String>> questions(String name) throws IOException {
    return text(name)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> Arrays.asList(line.split("\t", -1)))
        .toList();
  }

  static ScoutInput item(String title, String text) {
    return new ScoutInput("acme/board/1000001", title, text, List.of(), List.of());
  }

  static ScoutAnswer ask(Path folder, ScoutInput input) throws IOException {
    return new Scout(folder, List.of(), () -> false).answer(input, false);
  }

  private static String text(String name) throws IOException {
    try (InputStream in = Orchard.class.getResourceAsStream("/scout/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
