package dev.flyball.program.doctor;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.runner.RunnerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks which containment works here, by running it. */
final class ContainmentCheck {
  private ContainmentCheck() {}

  static Finding run(RunnerConfig.Confinement confinement) {
    Path folder = null;
    try {
      // Not the data folder, because a runner may be using it.
      folder = Files.createTempDirectory("flyball-doctor");
      ContainmentProbe.Found found =
          ContainmentProbe.strongest(
              ContainmentSettings.in(folder).withNetwork(confinement.network()),
              confinement.minimum(),
              confinement.maximum(),
              confinement.user());
      return found(found.containment(), String.join("; ", found.unavailable()));
    } catch (CannotStart e) {
      String message = String.valueOf(e.getMessage());
      int fix = message.lastIndexOf("; ");
      return Finding.unhealthy(
          "containment", message.substring(0, fix), message.substring(fix + "; ".length()));
    } catch (IOException e) {
      return Finding.unhealthy(
          "containment",
          "cannot be tried: " + e.getMessage(),
          "make the temporary folder writable");
    } finally {
      remove(folder);
    }
  }

  private static Finding found(Containment containment, String refused) {
    String missing = String.join("; ", containment.missing());
    String what =
        "level "
            + containment
            + (missing.isEmpty() ? "" : " (" + missing + ")")
            + (refused.isEmpty() ? "" : "; not " + refused);
    return Finding.ok("containment", what);
  }

  private static void remove(@org.jspecify.annotations.Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try (var files = Files.walk(folder)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException leftBehind) {
      folder.toFile().deleteOnExit();
    }
  }
}
