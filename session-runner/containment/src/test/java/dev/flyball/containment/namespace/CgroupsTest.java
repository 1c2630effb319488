package dev.flyball.containment.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Below which group sessions get theirs, by folders as a unit of systemd has them. */
final class CgroupsTest {
  @TempDir Path slice;

  @Test
  void sessionsAreBesideTheSubgroupOfTheRunner() throws IOException {
    Path unit = group(slice.resolve("flyball@runner.service"));
    assertThat(Cgroups.aboveSubgroup(group(unit.resolve("runner")))).isEqualTo(unit);
  }

  @Test
  void anyOtherGroupIsUsedAsItIsAlsoOneThatIsCalledRunner() throws IOException {
    Path unit = group(group(slice.resolve("system.slice")).resolve("flyball@runner.service"));
    Path notDelegated = group(slice.resolve("runner"));

    assertThat(Cgroups.aboveSubgroup(unit)).isEqualTo(unit);
    assertThat(Cgroups.aboveSubgroup(notDelegated)).isEqualTo(notDelegated);
  }

  private static Path group(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.createFile(folder.resolve("cgroup.procs"));
    return folder;
  }
}
