package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.program.launch.Shell;
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.ServiceRun.StopLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The units of ops/systemd. */
@DisplayName("The systemd units: what keeps sessions contained, and a drain possible")
final class SystemdUnitsTest {
  private static final Path UNITS = Path.of("../ops/systemd");
  private static final String VERIFY = "/usr/bin/systemd-analyze";

  /** Each of them hides or covers what a session's namespaces or groups need. */
  private static final List<String> BREAKS_CONTAINMENT =
      List.of(
          "RestrictNamespaces",
          "PrivateUsers",
          "ProtectProc",
          "ProcSubset",
          "ProtectKernelTunables",
          "ProtectKernelLogs",
          "ProtectHostname",
          "ProtectControlGroups",
          "SystemCallFilter",
          "MemoryDenyWriteExecute");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"flyball.service", "flyball@.service"})
  void theUnitKeepsContainment(String unit) throws IOException {
    List<String> lines = Files.readAllLines(UNITS.resolve(unit));
    assertThat(lines)
        .contains(
            "KillMode=control-group",
            "Delegate=yes",
            "DelegateSubgroup=runner",
            "Restart=on-failure",
            "NoNewPrivileges=yes",
            "EnvironmentFile=-/etc/flyball/environment")
        .anyMatch(line -> line.startsWith("StateDirectory=flyball/"));
    assertThat(lines)
        .noneMatch(line -> BREAKS_CONTAINMENT.stream().anyMatch(it -> line.startsWith(it + "=")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"flyball.service", "flyball@.service"})
  void aStopMayTakeLongerThanTheDrain(String unit) throws IOException {
    List<String> lines = Files.readAllLines(UNITS.resolve(unit));
    Duration drain = seconds(lines, "Environment=FLYBALL_SESSIONS_DRAIN=");
    assertThat(seconds(lines, "TimeoutStopSec="))
        .isEqualTo(drain.plus(StopLimit.DEFAULT).plusSeconds(2));
    assertThat(lines)
        .as("with control-group alone every agent would get TERM, and nothing could drain")
        .anyMatch(line -> line.startsWith("ExecStop=") && line.contains("kill -TERM \"$MAINPID\""));
  }

  @Test
  void systemdAcceptsTheUnitsOfEveryRole() throws IOException {
    assumeTrue(Files.isExecutable(Path.of(VERIFY)), "skipped: this machine has no " + VERIFY);
    var command = new ArrayList<>(List.of(VERIFY, "verify", "--man=no"));
    command.add(runnable("flyball.service", "flyball.service"));
    for (Role role : Role.values()) {
      command.add(runnable("flyball@.service", "flyball@" + role.label() + ".service"));
    }
    String out = Shell.said(command.toArray(String[]::new));

    // Only systemd 254 and newer know it.
    assertThat(out.lines().filter(line -> !line.contains("'DelegateSubgroup'"))).isEmpty();
  }

  @Test
  void thePageCopiesEveryFileThatIsThere() throws IOException {
    String page = Files.readString(Path.of("../docs/deploy.md"));
    try (Stream<Path> files = Files.list(UNITS)) {
      assertThat(files.map(file -> file.getFileName().toString()).toList())
          .hasSize(3)
          .allMatch(page::contains);
    }
    assertThat(Arrays.stream(Role.values()).map(role -> "flyball@" + role.label()))
        .allMatch(page::contains);
  }

  /** A copy whose program exists here, which systemd-analyze insists on. */
  private String runnable(String unit, String name) throws IOException {
    String text =
        Files.readString(UNITS.resolve(unit)).replace("/opt/flyball/flyball ", "/bin/true ");
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Duration seconds(List<String> lines, String key) {
    String value = lines.stream().filter(line -> line.startsWith(key)).findFirst().orElseThrow();
    return Duration.ofSeconds(Long.parseLong(value.substring(key.length()).replace("s", "")));
  }
}
