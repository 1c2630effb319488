package dev.flyball.scout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Lists the files that an agent may need: never .git, build output, binaries or ignored files. */
public final class RepositoryPaths {
  private RepositoryPaths() {}

  /**
   * Lists a folder.
   *
   * @param without folders to skip, the data folder for example
   * @param most the most files that are listed
   * @return paths relative to the folder, with forward slashes, sorted
   * @throws IOException if the folder cannot be read
   */
  public static List<String> of(Path folder, List<Path> without, int most) throws IOException {
    return FolderWalk.of(folder.toRealPath(), new Exclusions(folder, without), most);
  }
}
