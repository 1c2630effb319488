package dev.flyball.program.cli;

import dev.flyball.ops.console.notify.Notifier;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.tracker.http.EnvironmentProxy;
import java.net.http.HttpClient;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The commands about notifications. */
final class NotifyCommands {
  private NotifyCommands() {}

  @Command(
      name = "notify",
      mixinStandardHelpOptions = true,
      description = "List the targets of notifications. Needs no running service.")
  static Exit list(@Mixin ConfigurationOptions options, @Mixin TableOptions table) {
    NotifyConfig config = new AppConfigurations(options.load()).notifications();
    var rows = new Table("target", "type", "on", "tenant");
    for (NotifyTarget target : config.targets()) {
      rows.row(
          target.name(),
          target.type().label(),
          target.on().stream()
              .sorted()
              .map(Notification.Kind::label)
              .collect(Collectors.joining(",")),
          target.tenant());
    }
    return table.print(rows);
  }

  @Command(
      name = "test",
      mixinStandardHelpOptions = true,
      description = {
        "Send one test message to each target of notifications, or to one. Secrets are read from"
            + " this command's environment.",
        "",
        "Exit code 1 if a message was not accepted.",
        ""
      })
  static Exit test(
      @Mixin ConfigurationOptions options,
      @Mixin TableOptions table,
      @Parameters(
              arity = "0..1",
              paramLabel = "NAME",
              description = "Only this target; its name, or its type where it has no name")
          @Nullable String name) {
    NotifyConfig config = new AppConfigurations(options.load()).notifications();
    List<NotifyTarget> targets =
        config.targets().stream()
            .filter(target -> name == null || target.name().equals(name))
            .toList();
    if (targets.isEmpty()) {
      throw new ConfigurationError(
          config.targets().isEmpty()
              ? "no targets are configured; add notify to flyball.yaml"
              : "no target '" + name + "'; ./flyball notify lists them");
    }
    var rows = new Table("target", "type", "result", "detail");
    boolean failed = false;
    try (HttpClient client = EnvironmentProxy.client(options.terminal().environment())) {
      for (NotifyTarget target : targets) {
        Optional<String> problem = Notifier.test(target, config, client, Instant.now());
        failed |= problem.isPresent();
        rows.row(
            target.name(),
            target.type().label(),
            problem.isPresent() ? "failed" : "sent",
            problem.orElse(""));
      }
    }
    var _ = table.print(rows);
    return failed ? Exit.FAILED : Exit.DONE;
  }
}
