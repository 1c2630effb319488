package dev.flyball.bench;

import java.nio.file.Path;

/** One measurement; prints its own lines. */
interface Bench {
  /** What it is called on the command line. */
  String name();

  /**
   * Measures.
   *
   * @param place a fresh folder, and the repository with the program
   */
  void run(Place place) throws Exception;

  /**
   * Where a measurement works.
   *
   * @param root the repository
   * @param folder a fresh one
   */
  record Place(Path root, Path folder) {
    Path flyball() {
      return root.resolve("flyball");
    }
  }
}
