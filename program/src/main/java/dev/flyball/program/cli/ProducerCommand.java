package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.producer.DryRun;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.roles.Once;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Terminal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the role producer; with {@code --once} polls every source once. */
@Command(
    name = "producer",
    mixinStandardHelpOptions = true,
    description = "Runs the role that polls trackers and publishes what changed.")
final class ProducerCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec @Nullable CommandSpec spec;
  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(names = "--once", description = "Polls every source now, once, and exits")
  boolean once;

  @Option(
      names = "--dry-run",
      description =
          "With --once: shows what a poll would publish; needs no Kafka and moves no cursor")
  boolean dryRun;

  @Option(names = "--json", description = "With --once: one JSON object a line")
  boolean json;

  ProducerCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = server.over(shared.load(terminal));
    if (!once && (dryRun || json) && spec != null) {
      throw new ParameterException(spec.commandLine(), "--dry-run and --json go with --once");
    }
    if (!once) {
      return RoleRun.of(
          terminal, Role.PRODUCER, configuration, shared.again(terminal, server::over));
    }
    ProducerConfig producer = new AppConfigurations(configuration).producer();
    if (producer.sources().isEmpty()) {
      // An empty successful answer would read as: nothing has changed.
      throw new ConfigurationError(
          List.of(
              "no source is configured; `flyball init` writes a flyball.yaml, --config names one"));
    }
    return dryRun ? dry(producer) : Once.poll(terminal, configuration, json).code();
  }

  private int dry(ProducerConfig producer) {
    boolean unreadable = false;
    boolean invalid = false;
    for (DryRun answer : ProducerApp.dryRun(producer)) {
      switch (answer) {
        case DryRun.Read read -> {
          show(read);
          invalid |= !read.invalid().isEmpty();
        }
        case DryRun.Unreadable failed -> {
          terminal.say("flyball: " + failed.source() + ": " + failed.reason());
          unreadable = true;
        }
      }
    }
    return (unreadable ? Exit.FAILED : invalid ? Exit.DEGRADED : Exit.DONE).code();
  }

  private void show(DryRun.Read read) {
    PollReport.complaints(read.invalid(), read.items().isEmpty(), Once.SHOWN)
        .forEach(line -> terminal.say("flyball: " + line));
    for (DryRun.Item item : read.items()) {
      print(
          List.of("source", "key", "publish", "reason"),
          List.of(item.source(), item.key(), item.publish(), item.reason()));
    }
    print(
        List.of("source", "polled", "changed", "requests"),
        List.of(read.source(), read.polled(), read.changed(), read.requests()));
  }

  private void print(List<String> names, List<Object> values) {
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      for (int i = 0; i < names.size(); i++) {
        object.put(names.get(i), values.get(i));
      }
      terminal.out().println(RecordJson.write(object));
    } else {
      terminal
          .out()
          .println(
              String.join("\t", values.stream().map(it -> PlainText.line(it.toString())).toList()));
    }
  }
}
