package dev.flyball.containment.warden;

import java.io.IOException;
import java.nio.file.Path;

/** Compiles the warden into the folder of the jars, when an image is built. */
final class WardenMain {
  private WardenMain() {}

  /**
   * Prints the program's path.
   *
   * @param args the folder
   */
  public static void main(String[] args) throws IOException {
    System.out.println(WardenProgram.shippedIn(Path.of(args[0]).toAbsolutePath()));
  }
}
