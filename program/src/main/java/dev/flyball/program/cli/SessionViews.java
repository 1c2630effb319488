package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.Options.ConsoleOptions;
import dev.flyball.program.cli.Options.JsonOption;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.ReadOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.Browser;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show a service at work: status, open, ps, top, logs and polls. */
final class SessionViews {
  private static final Duration REDRAW = Duration.ofSeconds(2);

  private SessionViews() {}

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description =
          "Show on one screen what runs and waits, what it cost, every source and runner, and what"
              + " is wrong.")
  static Exit status(@Mixin ReadOptions options, @Mixin JsonOption output) {
    Terminal terminal = options.terminal();
    try (ConsoleReader reader = options.reader()) {
      var live = new LiveTable(reader.ps(), reader.summary(), reader.age());
      live.age().report(terminal);
      if (output.json) {
        return output.object(new Status(live.summary(), reader.sources()));
      }
      live.printHeading(terminal);
      live.summary().standing().forEach(line -> terminal.out().println(PlainText.line(line)));
      for (SourceStatus source : reader.sources()) {
        String line = PlainText.line(line(source, live.age().moment()));
        terminal.out().println(source.held() ? terminal.red(line) : line);
      }
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
      name = "open",
      mixinStandardHelpOptions = true,
      description =
          "Print the address of the console's page, or of an item's page, and open it in a browser"
              + " where there is a display.")
  static Exit open(
      @Mixin ReadOptions options,
      @Parameters(arity = "0..1", paramLabel = "KEY", description = ActionCommands.KEY)
          @Nullable String name) {
    String page = options.console.url(options).orElseGet(() -> address(options.load()));
    if (name != null) {
      try (ConsoleReader reader = options.reader()) {
        String key = reader.key(name);
        page =
            page.replaceAll("/$", "")
                + "/item?key="
                + URLEncoder.encode(key, StandardCharsets.UTF_8);
      }
    }
    Terminal terminal = options.terminal();
    terminal.out().println(PlainText.line(page));
    Browser.open(terminal, page);
    return Exit.DONE;
  }

  /** Where the configured console answers. */
  private static String address(Configuration configuration) {
    ListenAddress listen = configuration.get(Keys.CONSOLE_LISTEN);
    if (configuration.find(Keys.CONSOLE_URL).isEmpty() && listen.port() == 0) {
      throw new StartFailure(
          "console.listen leaves the port open; the ready line of ./flyball up has the address");
    }
    boolean tls = configuration.find(Keys.CONSOLE_KEY_STORE).isPresent();
    boolean everywhere = listen.socket().getAddress().isAnyLocalAddress();
    return configuration
        .find(Keys.CONSOLE_URL)
        .orElse(
            (tls ? "https://" : "http://")
                + (everywhere ? ListenAddress.machine() : listen.host())
                + ":"
                + listen.port());
  }

  @Command(
      name = "ps",
      mixinStandardHelpOptions = true,
      description =
          "List live sessions: item, runner, pid, processes, elapsed time and limit, time since the"
              + " last progress, tokens, cost, title.")
  static Exit ps(@Mixin ReadOptions options, @Mixin TableOptions table) {
    return LiveTable.read(options).print(table);
  }

  @Command(
      name = "top",
      mixinStandardHelpOptions = true,
      description =
          "Show live sessions, redrawn every 2 s until Ctrl-C. When piped or on a dumb terminal,"
              + " print them once, as ps does.")
  static Exit top(@Mixin ReadOptions options, @Mixin TableOptions table) {
    if (table.json || !options.terminal().redraws()) {
      return LiveTable.read(options).print(table);
    }
    return new TopScreen(options.terminal(), REDRAW, () -> LiveTable.read(options))
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
    try (ConsoleReader reader = console.reader(options)) {
      OutputPart part = first(reader, name);
      if (!name.equals(part.session())) {
        // Who gave an item, or the beginning of an id, must see whose output this is.
        options
            .terminal()
            .note(
                "session " + part.session() + (part.item().isEmpty() ? "" : " of " + part.item()));
      }
      long printed = print(part, output);
      boolean last = false;
      while (part.more() || (follow && !last)) {
        // Lines may arrive after the lease has ended: one further part is asked for.
        last = !part.live();
        part = next(reader, part, follow);
        printed += print(part, output);
      }
      if (printed == 0) {
        options
            .terminal()
            .note(
                "no output of session "
                    + part.session()
                    + ": it wrote nothing, or the retention of session-output is over");
      }
    }
    return Exit.DONE;
  }

  private static int print(OutputPart part, JsonOption output) {
    for (OutputLine line : part.lines()) {
      output
          .terminal()
          .out()
          .println(
              output.json
                  ? RecordJson.write(line)
                  : line.stream() + "\t" + PlainText.line(line.line()));
    }
    return part.lines().size();
  }

  /** The beginning of the output of an item's newest session, or of a session's. */
  private static OutputPart first(ConsoleReader reader, String name) {
    String key = reader.key(name);
    if (reader.item(key).isPresent()) {
      return reader
          .output(Map.of("item", key))
          .orElseThrow(
              () -> new StartFailure(key + " has had no session; reason: ./flyball why " + key));
    }
    // Every session's id begins with an empty one.
    return Optional.of(name)
        .filter(it -> !it.isEmpty())
        .flatMap(it -> reader.output(Map.of("session", it)))
        .orElseThrow(() ->
            new StartFailure(
                "no session '"
                    + name
                    + "'; give an item, or the first characters of a session id from ./flyball ps"
                    + " or item"));
  }

  private static OutputPart next(ConsoleReader reader, OutputPart part, boolean wait) {
    var query = new HashMap<>(Map.of("session", part.session(), "after", part.next()));
    if (wait) {
      query.put("wait", "1");
    }
    return reader
        .output(query)
        .orElseThrow(
            () -> new StartFailure("the console no longer keeps session " + part.session()));
  }

  @Command(
      name = "polls",
      mixinStandardHelpOptions = true,
      description = "List polls, newest first. The newest hundred of each source are kept.")
  static Exit polls(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Parameters(
              arity = "0..1",
              paramLabel = "SOURCE",
              description = "Only polls of this source: TENANT/NAME, or NAME if it is unique")
          @Nullable String name,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: 20)")
          int limit) {
    Options.requireRows(limit);
    List<PollRow> polls;
    try (ConsoleReader reader = options.reader()) {
      reader.age().report(options.terminal());
      String source =
          name == null
              ? null
              : ActionCommands.source(
                  name, reader.sources().stream().map(SourceStatus::source).toList());
      polls = source != null && !source.contains("/") ? List.of() : reader.polls(source, limit);
    }
    if (polls.isEmpty() && name != null) {
      throw new StartFailure(
          "no poll of '" + name + "' is known; list all sources with ./flyball polls");
    }
    return table.print(
        Table.of(polls)
            .column("started", PollRow::startedAt)
            .wide("took", poll -> poll.tookMs() == null ? null : poll.tookMs() + "ms")
            .column("source", PollRow::source)
            .column("outcome", PollRow::result)
            .column("items", PollRow::polled)
            .column("changed", PollRow::changed)
            .wide("duplicates", PollRow::duplicates)
            .wide("invalid", PollRow::invalid)
            .column("reason", PollRow::reason)
            .wide("poll", PollRow::poll));
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
        now.printHeading(terminal);
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
  record LiveTable(List<RunningSession> live, Summary summary, ConsoleReader.Age age) {
    /** Reads what a console knows now. */
    static LiveTable read(ReadOptions options) {
      try (ConsoleReader reader = options.reader()) {
        return new LiveTable(reader.ps(), reader.summary(), reader.age());
      }
    }

    /** Prints the sessions, and on standard error their age if they are old. */
    Exit print(TableOptions options) {
      age.report(options.terminal());
      return options.json ? options.object(live) : options.print(table());
    }

    /** One line for each fact that a person should know besides the sessions. */
    void printHeading(Terminal terminal) {
      PrintStream out = terminal.out();
      out.println(
          summary.live()
              + " of "
              + summary.cap()
              + " sessions live, "
              + CountedNoun.of(summary.backlog(), "item", "items")
              + " unsettled, "
              + Dollars.rounded(summary.costMicros())
              + " USD spent");
      summary.broken().forEach(line -> out.println(terminal.red(PlainText.line(line))));
      summary.pauses().forEach(pause -> out.println(PlainText.line(pause.line())));
      summary.runners().stream()
          .filter(runner -> runner.refusing() != null)
          .map(runner -> PlainText.line("runner " + runner.id() + " refuses: " + runner.refusing()))
          .forEach(line -> out.println(terminal.red(line)));
    }

    /** The sessions. */
    Table table() {
      return Table.of(live)
          .column("item", RunningSession::item)
          .column("session", RunningSession::session)
          .wide("runner", RunningSession::runner)
          .wide("pid", RunningSession::pid)
          .wide("processes", RunningSession::processes)
          .column("elapsed", it -> it.elapsedMs() / 1000 + "s/" + it.limitMs() / 1000 + "s")
          .column("progress", it -> progress(it, age.moment()))
          .wide("tokens", RunningSession::tokens)
          .column("usd", it -> Dollars.rounded(it.costMicros()))
          .column("title", RunningSession::title)
          .table();
    }

    private static String progress(RunningSession session, Instant now) {
      Instant last = session.progressAt();
      String age = last == null ? "" : TimeSpan.age(Duration.between(last, now));
      return session.hung() ? ("hung " + age).strip() : last == null ? "" : age + " ago";
    }
  }
}
