package dev.flyball.standalone.cli;

import dev.flyball.standalone.config.AppConfigurations;
import dev.flyball.standalone.config.Configuration;
import dev.flyball.standalone.role.LoneRole;
import dev.flyball.standalone.role.Role;
import dev.flyball.standalone.role.ServiceRun;
import dev.flyball.standalone.role.Tenure;
import dev.flyball.standalone.terminal.Terminal;
import java.util.concurrent.CompletableFuture;

/** Runs one role until a signal. */
final class RoleRun {
  private RoleRun() {}

  static int of(Terminal terminal, Role role, Configuration configuration) {
    var apps = new AppConfigurations(configuration);
    apps.check();
    var _ = apps.kafka(role.label());
    try (Tenure tenure = Tenure.of(configuration, role)) {
      var lone = new LoneRole(role, configuration);
      var run = new ServiceRun(lone, tenure.signals(), new CompletableFuture<>());
      return Ended.code(terminal, run.untilEnded(() -> terminal.out().println(lone.readyLine())));
    }
  }
}
