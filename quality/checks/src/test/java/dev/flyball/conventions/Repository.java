package dev.flyball.conventions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checked-out repository, as these tests see it. */
final class Repository {
  /** Where it is: the nearest folder above that holds the wrapper. */
  static final Path ROOT = root();

  private Repository() {}

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no mvnw above " + Path.of("").toAbsolutePath());
      }
    }
    return folder;
  }

  /** Every module that has sources. */
  static List<Path> modules() {
    // What examples are about is no code of Flyball.
    return walk(ROOT, 3)
        .filter(path -> Files.isDirectory(path.resolve("src")))
        .filter(path -> !path.startsWith(ROOT.resolve("examples")))
        .toList();
  }

  /** Every Java source, main and test. */
  static List<Path> sources() {
    return modules().stream().flatMap(module -> sourcesOf(module.resolve("src"))).sorted().toList();
  }

  /** Java sources under a folder; none if it is missing. */
  static Stream<Path> sourcesOf(Path folder) {
    return walk(folder, 32).filter(path -> path.toString().endsWith(".java"));
  }

  /** Every page, of the top folder and of docs. */
  static List<Path> pages() {
    return Stream.concat(walk(ROOT, 1), walk(ROOT.resolve("docs"), 2))
        .filter(file -> file.toString().endsWith(".md"))
        .sorted()
        .toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> walk(Path folder, int depth) {
    if (!Files.isDirectory(folder)) {
      return Stream.of();
    }
    try (Stream<Path> walk = Files.walk(folder, depth)) {
      return walk
          .filter(path ->
              !ROOT.relativize(path).toString().matches("(.*/)?(target|\\.git|\\.flyball)(/.*)?"))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
