package dev.flyball.runner.scout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The files that an agent may care for: never .git, build output, binaries or what is ignored. */
public final class RepositoryPaths {
  private RepositoryPaths() {}

  /**
   * Lists a folder.
   *
   * @param without folders to leave out, the data folder for example
   * @param most no more than this many are found
   * @return paths relative to the folder, with forward slashes, sorted
   * @throws IOException if the folder cannot be read
   */
  public static List<String> of(Path folder, List<Path> without, int most) throws IOException {
    return FolderWalk.of(folder.toRealPath(), new Exclusions(folder, without), most);
  }
}
