package dev.flyball.containment.cgroup;

import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.probe.ContainmentProbe;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("Level A+ where no C compiler is")
final class CgroupByShellsIT extends CgroupIT {
  @BeforeAll
  static void probeWithoutCompiler(@TempDir Path data) throws IOException {
    containment =
        ContainmentProbe.strongest(settings(data).withoutCompiler(), Level.B, Level.A_PLUS)
            .containment();
  }

  @Override
  ContainmentSettings tried(ContainmentSettings plain) {
    return plain.withoutCompiler();
  }
}
