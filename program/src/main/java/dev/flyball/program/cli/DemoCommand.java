package dev.flyball.program.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.BundledText;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.RunningRoles.Plan;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the whole pipeline at work on sample items, in about a minute. */
final class DemoCommand {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final int REASON = 72;

  /** More than a demo has. */
  private static final int ALL = 1_000;

  /** How long the last step may take until a poll has read it. */
  private static final Duration LAST_POLL = Duration.ofSeconds(3);

  private DemoCommand() {}

  @Command(name = "demo", mixinStandardHelpOptions = true)
  static Exit demo(@Mixin KafkaOptions options, @Mixin AgentOptions agent) {
    Terminal terminal = options.terminal;
    try {
      Path folder =
          options.data == null
              ? Files.createTempDirectory("flyball-demo-")
              : emptyFolder(Path.of(options.data).toAbsolutePath());
      List<Step> story = prepare(folder);
      options.file = folder.resolve("flyball.yaml");
      options.data = folder.resolve("data").toString();
      Configuration configuration = agent.complete(options);
      Path projection = new AppConfigurations(configuration).console().data();
      Path items = folder.resolve("items.jsonl");
      Exit exit =
          RoleCommands.run(
              options,
              new Plan(null, options.again(agent::over), null),
              configuration,
              false,
              signals ->
                  Thread.ofVirtual()
                      .start(() -> play(story, items, projection, terminal, signals)));
      result(projection).ifPresent(result -> show(terminal, result));
      terminal.note("the demo's files are in " + folder);
      return exit;
    } catch (IOException e) {
      throw new StartFailure("the demo's folder cannot be written: " + e.getMessage(), e);
    }
  }

  /** What the console knows. */
  private record Result(Summary summary, List<ItemRow> items, List<EndedSession> sessions) {}

  /**
   * One change of an item, as a tracker would report it.
   *
   * @param at seconds after the start
   * @param note what a person sees it for
   * @param item the line of the items file
   */
  record Step(double at, String note, JsonNode item) {}

  private static Path emptyFolder(Path folder) throws IOException {
    Files.createDirectories(folder);
    try (var content = Files.list(folder)) {
      if (content.findAny().isPresent()) {
        throw new StartFailure(folder + " is not empty: name a new folder with --data");
      }
    }
    return folder;
  }

  /** Writes the demo's configuration, its agent and an empty items file; returns its story. */
  private static List<Step> prepare(Path folder) throws IOException {
    Files.writeString(folder.resolve("items.jsonl"), "");
    Path agent =
        Files.writeString(
            folder.resolve("agent.sh"), BundledText.of(DemoCommand.class, "demo/agent.sh"));
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(
        folder.resolve("flyball.yaml"), BundledText.of(DemoCommand.class, "demo/flyball.yaml"));
    return BundledText.of(DemoCommand.class, "demo/story.jsonl")
        .lines()
        .map(it -> RecordJson.read(it, Step.class))
        .toList();
  }

  /** Plays to the end of the story, then ends the service as TERM does. */
  private static void play(
      List<Step> story, Path items, Path projection, Terminal terminal, Signals signals) {
    String folder = AdminTool.quoted(String.valueOf(items.getParent()));
    terminal.note("watch it on the console, or with ./flyball top --data " + folder);
    long began = System.nanoTime();
    try {
      for (Step step : story) {
        Duration left = Duration.ofNanos(began - System.nanoTime());
        if (signals.within(left.plusMillis((long) (step.at() * 1_000)))) {
          return;
        }
        Files.writeString(items, RecordJson.write(step.item()) + "\n", StandardOpenOption.APPEND);
        if (!step.note().isEmpty()) {
          terminal.note(step.note());
        }
      }
      long expected = story.stream().map(it -> it.item().path("id")).distinct().count();
      Duration pause = LAST_POLL;
      do {
        if (signals.within(pause)) {
          return;
        }
        pause = TICK;
      } while (result(projection).filter(it -> settled(it, expected)).isEmpty());
    } catch (IOException | StartFailure e) {
      terminal.note(String.valueOf(e.getMessage()));
    }
    signals.end();
  }

  private static boolean settled(Result result, long items) {
    return result.items().size() == items
        && result.summary().backlog() == 0
        && result.summary().live() == 0;
  }

  /** Empty before the console has read anything. */
  private static Optional<Result> result(Path projection) {
    try (ConsoleView view = ConsoleView.open(projection).orElse(null)) {
      return view == null
          ? Optional.empty()
          : Optional.of(
              new Result(
                  view.summary(),
                  view.items(new ItemFilter(null, null, null, ALL)),
                  view.ended(ALL, null)));
    }
  }

  private static void show(Terminal terminal, Result result) {
    Map<String, EndedSession> newest =
        result.sessions().stream()
            .collect(Collectors.toMap(EndedSession::item, it -> it, (newer, older) -> newer));
    var table = new Table("item", "state", "session", "ran", "survivors", "reason", "title");
    for (ItemRow item : result.items()) {
      EndedSession session = newest.get(item.key());
      String reason = session == null ? item.reason() : session.reason();
      String title = PlainText.cut(item.title(), REASON);
      String why = reason == null ? "" : PlainText.cut(reason, REASON);
      if (session == null) {
        table.row(item.key(), item.state(), "-", "-", "-", why, title);
      } else {
        table.row(
            item.key(),
            item.state(),
            session.outcome(),
            TimeSpan.age(Duration.ofMillis(session.runningMs())),
            Objects.requireNonNullElse(session.survivors(), "unknown"),
            why,
            title);
      }
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
}
