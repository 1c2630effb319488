package dev.flyball.program.cli;

import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.demo.Demo;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the whole pipeline at work on sample items, in about a minute. */
final class DemoCommand {
  private static final Duration STEP = Duration.ofMillis(200);
  private static final int REASON = 72;

  private DemoCommand() {}

  @Command(
      name = "demo",
      mixinStandardHelpOptions = true,
      description = {
        "Run every role for about a minute on sample items that change over time, with agents that"
            + " misbehave, and print what became of them.",
        "",
        "No model is asked and nothing costs money. All files are in a new folder below the"
            + " temporary directory, or in --data, and stay there.",
        ""
      })
  static Exit demo(@Mixin KafkaOptions options, @Mixin AgentOptions agent) {
    Terminal terminal = options.terminal();
    Path folder = options.data == null ? freshFolder() : Path.of(options.data).toAbsolutePath();
    options.file = Demo.prepare(folder);
    options.data = folder.resolve("data").toString();
    Configuration configuration = agent.complete(options.load());
    Demo demo = Demo.of(folder, new AppConfigurations(configuration).console().data());
    Exit exit =
        RoleCommands.run(
            options,
            null,
            configuration,
            options.again(agent::over),
            signals -> Thread.ofVirtual().start(() -> play(demo, terminal, signals)));
    demo.result().ifPresent(result -> show(terminal, result));
    terminal.note("the demo's files are in " + folder);
    return exit;
  }

  private static Path freshFolder() {
    try {
      return Files.createTempDirectory("flyball-demo-");
    } catch (IOException e) {
      throw new StartFailure("no temporary folder can be made: " + e.getMessage(), e);
    }
  }

  /** Plays to the end of the story, then ends the service as TERM does. */
  private static void play(Demo demo, Terminal terminal, Signals signals) {
    terminal.note("watch it on the console, or with ./flyball top --data of the folder below");
    long began = System.nanoTime();
    try {
      while (!demo.play(Duration.ofNanos(System.nanoTime() - began), terminal::note)) {
        if (signals.within(STEP)) {
          return;
        }
      }
    } catch (StartFailure e) {
      terminal.note(String.valueOf(e.getMessage()));
    }
    signals.end();
  }

  private static void show(Terminal terminal, Demo.Result result) {
    Map<String, EndedSession> newest =
        result.sessions().stream()
            .collect(Collectors.toMap(EndedSession::item, it -> it, (newer, older) -> newer));
    var table = new Table("item", "state", "session", "ran", "survivors", "reason", "title");
    for (ItemRow item : result.items()) {
      EndedSession session = newest.get(item.key());
      table.row(
          item.key(),
          item.state(),
          session == null ? "-" : session.outcome(),
          session == null ? "-" : TimeSpan.age(Duration.ofMillis(session.runningMs())),
          session == null ? "-" : survivors(session),
          PlainText.cut(reason(item, session), REASON),
          PlainText.cut(item.title(), REASON));
    }
    table.print(terminal, Table.Form.FULL);
    terminal.note(
        CountedNoun.of(result.items().size(), "item", "items")
            + ", "
            + CountedNoun.of(result.sessions().size(), "session", "sessions")
            + ", cap "
            + result.summary().cap()
            + ", "
            + Dollars.rounded(result.summary().costMicros())
            + " USD");
  }

  private static String reason(ItemRow item, @Nullable EndedSession session) {
    String reason = session == null ? item.reason() : session.reason();
    return reason == null ? "" : reason;
  }

  private static String survivors(EndedSession session) {
    Long survivors = session.survivors();
    return survivors == null ? "unknown" : survivors.toString();
  }
}
