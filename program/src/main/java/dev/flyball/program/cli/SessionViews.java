package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show sessions: status, ps, top and logs. */
final class SessionViews {
  private static final Duration REDRAW = Duration.ofSeconds(2);
  private static final Duration POLL = Duration.ofMillis(250);

  /** A session's last lines may arrive after its lease has ended. */
  private static final int LAST_POLLS = 4;

  private SessionViews() {}

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description =
          "Show on one screen what runs and waits, what it cost, every source and runner, and what"
              + " is wrong.")
  static Exit status(
      @Mixin ConfigurationOptions options,
      @Mixin ConsoleOptions console,
      @Mixin JsonOption output) {
    try (ConsoleReader reader = console.reader(options)) {
      var live = new LiveTable(reader.ps(), reader.summary(), reader.age());
      live.age().report(options.terminal());
      if (output.json) {
        return output.object(new Status(live.summary(), reader.sources()));
      }
      Stream.of(
              live.heading().stream(),
              live.summary().standing(),
              reader.sources().stream().map(it -> line(it, live.age().moment())))
          .flatMap(lines -> lines)
          .forEach(line -> options.terminal().out().println(PlainText.line(line)));
    }
    return Exit.DONE;
  }

  /** What {@code status --json} prints. */
  private record Status(Summary summary, List<SourceStatus> sources) {}

  private static String line(SourceStatus source, Instant now) {
    PollRow last = source.last();
    Instant at = last.endedAt() == null ? last.startedAt() : last.endedAt();
    String reason = source.reason() == null ? last.reason() : source.reason();
    return "source "
        + source.source()
        + ": "
        + (source.held() ? "held back, " : "")
        + (last.result() == null ? "polling" : "poll " + last.result())
        + (at == null ? "" : " " + TimeSpan.age(Duration.between(at, now)) + " ago")
        + (reason == null ? "" : ": " + reason);
  }

  @Command(
      name = "ps",
      mixinStandardHelpOptions = true,
      description =
          "List live sessions: item, runner, pid, processes, elapsed time and limit, time since the"
              + " last progress, tokens, cost.")
  static Exit ps(
      @Mixin ConfigurationOptions options,
      @Mixin ConsoleOptions console,
      @Mixin TableOptions table) {
    return LiveTable.read(options, console).print(table);
  }

  @Command(
      name = "top",
      mixinStandardHelpOptions = true,
      description =
          "Show live sessions, redrawn every 2 s until Ctrl-C. When piped or on a dumb terminal,"
              + " print them once, as ps does.")
  static Exit top(
      @Mixin ConfigurationOptions options,
      @Mixin ConsoleOptions console,
      @Mixin TableOptions table) {
    if (table.json || !options.terminal().redraws()) {
      return LiveTable.read(options, console).print(table);
    }
    return new TopScreen(options.terminal(), REDRAW, () -> LiveTable.read(options, console))
        .show(Signals.caught().first());
  }

  @Command(
      name = "logs",
      mixinStandardHelpOptions = true,
      description =
          "Print what a session's agent wrote, with secrets redacted. The first column is `out` or"
              + " `err`, or `gap` where lines are no longer kept; a long line ends with [cut, N"
              + " ...].")
  static Exit logs(
      @Mixin KafkaOptions options,
      @Mixin ConsoleOptions console,
      @Parameters(
              paramLabel = "SESSION",
              description =
                  "The first characters of a session id, or an item for its newest session")
          String name,
      @Option(
              names = {"-f", "--follow"},
              description = "Continue until the session ends")
          boolean follow,
      @Mixin JsonOption output) {
    if (name.isEmpty()) {
      // Every session's id begins with it.
      throw Lookup.noSession(name, "exists");
    }
    Terminal terminal = options.terminal();
    Consumer<OutputLine> printer =
        line ->
            terminal
                .out()
                .println(
                    output.json
                        ? RecordJson.write(line)
                        : line.stream() + "\t" + PlainText.line(line.line()));
    try (RemoteReader remote = console.remote(options).orElse(null)) {
      if (remote != null) {
        return new RemoteLog(remote, terminal, printer).print(name, follow);
      }
    }
    Configuration configuration = options.load();
    KnownSession session = Lookup.session(configuration, name);
    KafkaClients clients = options.clients(configuration, "logs");
    named(terminal, name, session.session(), session.item());
    try (SessionOutput lines =
        SessionOutput.open(clients, session.session(), session.since(), null)) {
      long printed = print(lines, 1, printer);
      if (follow) {
        while (Lookup.session(configuration, session.session()).live()) {
          printed += print(lines.poll(POLL), printer);
        }
        printed += print(lines, LAST_POLLS, printer);
      }
      if (printed == 0) {
        terminal.note(noOutput(session.session()));
      }
    }
    return Exit.DONE;
  }

  /** A user who gave an item, or the beginning of an id, must see whose output this is. */
  static void named(Terminal terminal, String name, String session, String item) {
    if (!name.equals(session)) {
      terminal.note("session " + session + (item.isEmpty() ? "" : " of " + item));
    }
  }

  static String noOutput(String session) {
    return "no output of session "
        + session
        + ": it wrote nothing, or the retention of session-output is over";
  }

  /**
   * Prints lines until this many polls in a row found the end and no new line; returns their
   * number.
   */
  private static long print(SessionOutput output, int ends, Consumer<OutputLine> printer) {
    long printed = 0;
    int met = 0;
    while (met < ends) {
      List<OutputLine> lines = output.poll(POLL);
      printed += print(lines, printer);
      met = lines.isEmpty() && output.atEnd() ? met + 1 : 0;
    }
    return printed;
  }

  private static long print(List<OutputLine> lines, Consumer<OutputLine> printer) {
    lines.forEach(printer);
    return lines.size();
  }

  /**
   * Prints a session's output that a console on another machine reads, part by part, so that an
   * output of any length fits into bounded answers.
   */
  record RemoteLog(RemoteReader console, Terminal terminal, Consumer<OutputLine> printer) {
    /**
     * Prints what is kept, then what comes.
     *
     * @param name the beginning of a session's id, or an item for its newest session
     * @param follow whether to go on until the session ends
     */
    Exit print(String name, boolean follow) {
      OutputPart part = first(name);
      SessionViews.named(terminal, name, part.session(), part.item());
      long printed = 0;
      boolean last = false;
      while (true) {
        part.lines().forEach(printer);
        printed += part.lines().size();
        if (!part.more() && (!follow || last)) {
          break;
        }
        // Lines may arrive after the lease has ended: one further part is asked for.
        last = !part.live();
        part = next(part, follow);
      }
      if (printed == 0) {
        terminal.note(SessionViews.noOutput(part.session()));
      }
      return Exit.DONE;
    }

    private OutputPart first(String name) {
      String key = Lookup.key(console::keysOf, name);
      if (console.item(key).isPresent()) {
        return console.output(Map.of("item", key)).orElseThrow(() -> Lookup.noSession(key));
      }
      return console
          .output(Map.of("session", name))
          .orElseThrow(() -> Lookup.noSession(name, "at the console"));
    }

    private OutputPart next(OutputPart part, boolean wait) {
      Map<String, String> from = Map.of("session", part.session(), "after", part.next());
      return console
          .output(
              wait ? Map.of("session", part.session(), "after", part.next(), "wait", "1") : from)
          .orElseThrow(
              () -> new StartFailure("the console no longer keeps session " + part.session()));
    }
  }

  /** Draws the live sessions repeatedly on a separate screen, which it leaves when it ends. */
  record TopScreen(Terminal terminal, Duration every, Supplier<LiveTable> look) {
    private static final String ENTER = "\033[?1049h\033[?25l";
    private static final String LEAVE = "\033[?25h\033[?1049l";
    private static final String CLEAR = "\033[H\033[2J";

    /**
     * Draws until a signal.
     *
     * @param signal completes with its name
     */
    Exit show(CompletableFuture<String> signal) {
      terminal.out().print(ENTER);
      try {
        while (!signal.isDone()) {
          frame();
          var _ =
              signal.copy().completeOnTimeout("", every.toMillis(), TimeUnit.MILLISECONDS).join();
        }
      } finally {
        terminal.out().print(LEAVE);
        terminal.out().flush();
      }
      return Exit.INTERRUPTED;
    }

    /** An error is shown, and the next read may succeed. */
    private void frame() {
      try {
        LiveTable now = look.get();
        terminal.out().print(CLEAR);
        now.heading().forEach(line -> terminal.out().println(PlainText.line(line)));
        if (now.age().old()) {
          terminal.out().println(now.age().line());
        }
        terminal.out().println();
        now.table().print(terminal, Table.Form.FULL);
      } catch (StartFailure e) {
        terminal.out().print(CLEAR);
        terminal.out().println("flyball: " + PlainText.line(String.valueOf(e.getMessage())));
      }
      terminal.out().flush();
    }
  }

  /** The live sessions at one time: {@code ps} prints them once, {@code top} repeatedly. */
  record LiveTable(List<RunningSession> live, Summary summary, ProjectionAge age) {
    /** Reads what a console knows now. */
    static LiveTable read(ConfigurationOptions options, ConsoleOptions console) {
      try (ConsoleReader reader = console.reader(options)) {
        return new LiveTable(reader.ps(), reader.summary(), reader.age());
      }
    }

    /** Prints the sessions, and on standard error their age if they are old. */
    Exit print(TableOptions options) {
      age.report(options.terminal());
      return options.json ? options.object(live) : options.print(table());
    }

    /** One line for each fact that a person should know besides the sessions. */
    List<String> heading() {
      var lines = new ArrayList<String>();
      lines.add(
          summary.live()
              + " of "
              + summary.cap()
              + " sessions live, "
              + summary.backlog()
              + (summary.backlog() == 1 ? " item unsettled, " : " items unsettled, ")
              + Dollars.rounded(summary.costMicros())
              + " USD spent");
      lines.addAll(summary.broken());
      summary.pauses().forEach(pause -> lines.add(pause.line()));
      summary.runners().stream()
          .filter(runner -> runner.refusing() != null)
          .map(runner -> "runner " + runner.id() + " refuses: " + runner.refusing())
          .forEach(lines::add);
      return lines;
    }

    /** The sessions. */
    Table table() {
      var table =
          new Table(
              "item",
              "session",
              "runner",
              "pid",
              "processes",
              "elapsed",
              "progress",
              "tokens",
              "usd");
      for (RunningSession session : live) {
        table.row(
            session.item(),
            session.session(),
            session.runner(),
            session.pid(),
            session.processes(),
            session.elapsedMs() / 1000 + "s/" + session.limitMs() / 1000 + "s",
            progress(session, age.moment()),
            session.tokens(),
            Dollars.rounded(session.costMicros()));
      }
      return table;
    }

    private static String progress(RunningSession session, Instant now) {
      Instant last = session.progressAt();
      String age = last == null ? "" : TimeSpan.age(Duration.between(last, now));
      return session.hung() ? ("hung " + age).strip() : last == null ? "" : age + " ago";
    }
  }
}
