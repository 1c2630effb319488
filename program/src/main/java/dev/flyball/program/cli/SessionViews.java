package dev.flyball.program.cli;

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
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.RunningRoles;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
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

  @Command(name = "status", mixinStandardHelpOptions = true)
  static Exit status(@Mixin ReadOptions options, @Mixin JsonOption output) {
    Terminal terminal = options.terminal;
    try (ConsoleReader reader = options.reader()) {
      LiveTable live = LiveTable.of(reader);
      live.age().report(terminal);
      List<SourceStatus> sources = reader.sources();
      if (output.json) {
        return output.object(new Status(live.summary(), sources));
      }
      live.printHeading(terminal);
      live.summary().standing().forEach(terminal::print);
      for (SourceStatus source : sources) {
        String line = line(source, live.age().moment());
        if (source.held()) {
          terminal.printRed(line);
        } else {
          terminal.print(line);
        }
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
    return ("source " + source.source() + ": ")
        + (source.held() ? "held back, " : "")
        + (last.result() == null ? "polling" : "poll " + last.result())
        + (at == null ? "" : " " + TimeSpan.age(Duration.between(at, now)) + " ago")
        + (reason == null ? "" : ": " + reason);
  }

  @Command(name = "open", mixinStandardHelpOptions = true)
  static Exit open(
      @Mixin ReadOptions options,
      @Parameters(arity = "0..1", paramLabel = "KEY") @Nullable String name) {
    String page = options.console.url(options).orElseGet(() -> address(options.load()));
    if (name != null) {
      try (ConsoleReader reader = options.reader()) {
        String key = URLEncoder.encode(reader.key(name), StandardCharsets.UTF_8);
        page = page.replaceAll("/$", "") + "/item?key=" + key;
      }
    }
    options.terminal.print(page);
    Browser.open(options.terminal, page);
    return Exit.DONE;
  }

  /** The browser of the person at the terminal. */
  private static final class Browser {
    /** Shows a page in a browser, where there is a display and a browser that it knows. */
    static void open(Terminal terminal, String page) {
      Map<String, String> environment = terminal.environment();
      if (!environment.containsKey("DISPLAY") && !environment.containsKey("WAYLAND_DISPLAY")) {
        return;
      }
      try {
        new ProcessBuilder("xdg-open", page)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
      } catch (IOException e) {
        terminal.note("no browser was opened: there is no xdg-open");
      }
    }
  }

  /** Where the console of the service in the data folder answers, or the configured one. */
  private static String address(Configuration configuration) {
    Optional<String> running =
        RunningRoles.consoleOf(configuration.get(Keys.DATA).resolve(Role.CONSOLE.label()));
    ListenAddress listen = configuration.get(Keys.CONSOLE_LISTEN);
    if (configuration.find(Keys.CONSOLE_URL).isPresent()) {
      return configuration.get(Keys.CONSOLE_URL);
    } else if (running.isPresent()) {
      return running.get();
    } else if (listen.port() == 0) {
      throw new StartFailure(
          "console.listen leaves the port open; the ready line of ./flyball up has the address");
    }
    String scheme = configuration.find(Keys.CONSOLE_KEY_STORE).isPresent() ? "https" : "http";
    boolean everywhere = listen.socket().getAddress().isAnyLocalAddress();
    String host = everywhere ? ListenAddress.machine() : listen.host();
    return scheme + "://" + host + ":" + listen.port();
  }

  @Command(name = "ps", mixinStandardHelpOptions = true)
  static Exit ps(@Mixin ReadOptions options, @Mixin TableOptions table) {
    return LiveTable.read(options).print(table);
  }

  @Command(name = "top", mixinStandardHelpOptions = true)
  static Exit top(@Mixin ReadOptions options, @Mixin TableOptions table) {
    if (table.json || !options.terminal.redraws()) {
      return LiveTable.read(options).print(table);
    }
    return new TopScreen(options.terminal, REDRAW, () -> LiveTable.read(options))
        .show(Signals.caught().first());
  }

  @Command(name = "logs", mixinStandardHelpOptions = true)
  static Exit logs(
      @Mixin KafkaOptions options,
      @Mixin ConsoleOptions console,
      @Parameters(paramLabel = "SESSION") String name,
      @Option(names = {"-f", "--follow"}) boolean follow,
      @Mixin JsonOption output) {
    Terminal terminal = options.terminal;
    try (ConsoleReader reader = console.reader(options)) {
      OutputPart part = first(reader, name);
      if (!name.equals(part.session())) {
        // Who gave an item, or the beginning of an id, must see whose output this is.
        String of = part.item().isEmpty() ? "" : " of " + part.item();
        terminal.note("session " + part.session() + of);
      }
      long printed = print(part, output);
      boolean last = false;
      while (part.more() || (follow && !last)) {
        // Lines may arrive after the lease has ended: one further part is asked for.
        last = !part.live();
        String session = part.session();
        part =
            output(reader, "session", session, "after", part.next(), "wait", follow ? "1" : null)
                .orElseThrow(
                    () -> new StartFailure("the console no longer keeps session " + session));
        printed += print(part, output);
      }
      if (printed == 0) {
        terminal.note(
            "no output of session "
                + part.session()
                + ": it wrote nothing, or the retention of session-output is over");
      }
    }
    return Exit.DONE;
  }

  private static int print(OutputPart part, JsonOption output) {
    for (OutputLine line : part.lines()) {
      if (output.json) {
        output.object(line);
      } else {
        output.terminal.out().println(line.stream() + "\t" + PlainText.line(line.line()));
      }
    }
    return part.lines().size();
  }

  private static Optional<OutputPart> output(ConsoleReader reader, @Nullable String... fields) {
    return reader.find("log", ConsoleReader.query(fields), OutputPart.class);
  }

  /** The beginning of the output of an item's newest session, or of a session's. */
  private static OutputPart first(ConsoleReader reader, String name) {
    String key = reader.key(name);
    if (reader.item(key).isPresent()) {
      return output(reader, "item", key)
          .orElseThrow(
              () -> new StartFailure(key + " has had no session; reason: ./flyball why " + key));
    }
    // Every session's id begins with an empty one.
    return Optional.of(name)
        .filter(it -> !it.isEmpty())
        .flatMap(it -> output(reader, "session", it))
        .orElseThrow(() ->
            new StartFailure(
                "no session '"
                    + name
                    + "'; give an item, or the first characters of a session id from ./flyball ps"
                    + " or item"));
  }

  @Command(name = "polls", mixinStandardHelpOptions = true)
  static Exit polls(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Parameters(arity = "0..1", paramLabel = "SOURCE") @Nullable String name,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "20") int limit) {
    String rows = Options.rows(Math.min(limit, ConsoleReader.MOST_ROWS));
    List<PollRow> polls;
    try (ConsoleReader reader = options.reader()) {
      reader.age().report(options.terminal);
      String source =
          name == null
              ? null
              : ActionCommands.source(
                  name, reader.sources().stream().map(SourceStatus::source).toList());
      polls =
          source != null && !source.contains("/")
              ? List.of()
              : reader.list(
                  "polls", ConsoleReader.query("limit", rows, "source", source), PollRow[].class);
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
          terminal.print(now.age().line());
        }
        terminal.out().println();
        now.table().print(terminal, Table.Form.FULL);
      } catch (StartFailure e) {
        terminal.out().print(CLEAR);
        terminal.print("flyball: " + e.getMessage());
      }
      terminal.out().flush();
    }
  }

  /** The live sessions at one time: {@code ps} prints them once, {@code top} repeatedly. */
  record LiveTable(List<RunningSession> live, Summary summary, ConsoleReader.Age age) {
    /** Reads what a console knows now. */
    static LiveTable read(ReadOptions options) {
      try (ConsoleReader reader = options.reader()) {
        return of(reader);
      }
    }

    static LiveTable of(ConsoleReader reader) {
      List<RunningSession> live = reader.list("ps", Map.of(), RunningSession[].class);
      return new LiveTable(live, reader.summary(), reader.age());
    }

    /** Prints the sessions, and on standard error their age if they are old. */
    Exit print(TableOptions options) {
      age.report(options.terminal);
      return options.json ? options.object(live) : options.print(table());
    }

    /** One line for each fact that a person should know besides the sessions. */
    void printHeading(Terminal terminal) {
      String unsettled = CountedNoun.of(summary.backlog(), "item", "items") + " unsettled";
      String spent = Dollars.rounded(summary.costMicros()) + " USD spent";
      terminal.print(
          summary.live() + " of " + summary.cap() + " sessions live, " + unsettled + ", " + spent);
      summary.broken().forEach(terminal::printRed);
      summary.pauses().forEach(pause -> terminal.print(pause.line()));
      summary.runners().stream()
          .filter(runner -> runner.refusing() != null && !age.old())
          .forEach(it -> terminal.printRed("runner " + it.id() + " refuses: " + it.refusing()));
    }

    Table table() {
      return Table.of(live)
          .column("item", RunningSession::item)
          .column("processes", RunningSession::processes)
          .column("elapsed", LiveTable::elapsed)
          .column("progress", it -> progress(it, age.moment()))
          .wide("tokens", RunningSession::tokens)
          .column("usd", it -> Dollars.rounded(it.costMicros()))
          .column("title", RunningSession::title)
          .wide("pid", RunningSession::pid)
          .wide("session", RunningSession::session)
          .wide("runner", RunningSession::runner);
    }

    private static String elapsed(RunningSession session) {
      return session.elapsedMs() / 1000
          + "s/"
          + TimeSpan.exact(Duration.ofMillis(session.limitMs()));
    }

    private static String progress(RunningSession session, Instant now) {
      Instant last = session.progressAt();
      String age = last == null ? "" : TimeSpan.age(Duration.between(last, now));
      return session.hung() ? ("hung " + age).strip() : last == null ? "" : age + " ago";
    }
  }
}
