package dev.flyball.containment.namespace;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.probe.ContainmentProbe;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Level A where no C compiler is. */
final class NamespaceByShellsIT extends NamespaceIT {
  @BeforeAll
  static void probeWithoutCompiler(@TempDir Path data) throws Exception {
    containment =
        ContainmentProbe.strongest(settings(data).withoutCompiler(), Level.A, Level.A)
            .containment();
  }
}
