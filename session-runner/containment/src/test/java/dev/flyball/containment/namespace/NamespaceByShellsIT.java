package dev.flyball.containment.namespace;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.probe.ContainmentProbe;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Level A where there is no warden in C. */
final class NamespaceByShellsIT extends NamespaceIT {
  @BeforeAll
  static void probeWithoutWarden(@TempDir Path data) throws Exception {
    containment =
        ContainmentProbe.strongest(settings(data).withoutWarden(), Level.A, Level.A).containment();
  }
}
