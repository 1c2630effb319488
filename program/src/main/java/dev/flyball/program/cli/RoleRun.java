package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.doctor.Doctor;
import dev.flyball.program.roles.HotConfiguration;
import dev.flyball.program.roles.LoneRole;
import dev.flyball.program.roles.Reachable;
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.roles.Tenure;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs one role until a signal. */
final class RoleRun {
  private RoleRun() {}

  static int of(Terminal terminal, Role role, Configuration configuration) {
    return of(terminal, role, configuration, null);
  }

  /** Runs one role until a signal, and reads the configuration again whenever its file changes. */
  static int of(
      Terminal terminal,
      Role role,
      Configuration configuration,
      HotConfiguration.@Nullable Again again) {
    var apps = new AppConfigurations(configuration);
    apps.check();
    var _ = new AppConfigurations(Reachable.forRole(configuration)).kafka(role.label());
    try (Tenure tenure = Tenure.of(configuration, role)) {
      var lone =
          new LoneRole(
              role,
              configuration,
              again,
              line -> terminal.say("flyball: " + line),
              tenure.signals()::came);
      Duration drain = role == Role.RUNNER ? configuration.get(Keys.DRAIN) : Duration.ZERO;
      var run =
          new ServiceRun(
              lone,
              tenure.signals(),
              new CompletableFuture<>(),
              drain,
              configuration.get(Keys.GRACE));
      return Ended.code(
          terminal,
          run.untilEnded(() -> {
            if (role == Role.PRODUCER) {
              // Printed only now: a start that fails prints one line with the reason.
              Doctor.warnings(configuration, terminal.environment())
                  .forEach(line -> terminal.say("flyball: " + line));
            }
            if (role == Role.RUNNER) {
              apps.dailyBudgetNotice().ifPresent(terminal::say);
            }
            terminal.out().println(lone.readyLine());
          }));
    }
  }
}
