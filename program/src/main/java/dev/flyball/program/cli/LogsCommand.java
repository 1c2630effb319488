package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.output.LeaseWatch;
import dev.flyball.ops.console.output.OutputLine;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.Reachable;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the output of a session's agent. */
@Command(
    name = "logs",
    mixinStandardHelpOptions = true,
    description = {
      "Prints what a session's agent wrote, secrets redacted: `out` and `err` say from which stream"
          + " a line is, a cut line ends with [cut, N ...], `gap` says what is no longer kept.",
      ""
    })
final class LogsCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(250);

  /** A session's last lines may still be on their way when its lease has ended. */
  private static final int LAST_POLLS = 4;

  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Parameters(
      paramLabel = "SESSION",
      description = "A session's id or its beginning, or an item: then its newest session")
  @Nullable String session;

  @Option(
      names = {"-f", "--follow"},
      description = "Goes on until the session ends")
  boolean follow;

  @Option(names = "--json", description = "One JSON object a line")
  boolean json;

  LogsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String typed = Objects.requireNonNull(session, "a required parameter");
    Configuration configuration = server.over(shared.load(terminal));
    KnownSession known = SessionName.find(configuration, typed);
    KafkaClients clients =
        Reachable.clients(configuration, "logs")
            .orElseThrow(() ->
                new StartFailure(
                    "no Kafka answers, and only Kafka has what agents wrote: start ./flyball up, or"
                        + " give --bootstrap-servers"));
    if (!typed.equals(known.session())) {
      // A user who gave an item, or the beginning of an id, must see whose output this is.
      terminal.say(
          "flyball: session "
              + known.session()
              + (known.item().isEmpty() ? "" : " of " + known.item()));
    }
    try (SessionOutput output = SessionOutput.open(clients, known.session(), known.since())) {
      if (printed(output, clients, known.session()) == 0) {
        terminal.say(
            "flyball: nothing is kept of session "
                + known.session()
                + ": it has written nothing, or that is longer ago than session-output keeps");
      }
    }
    return Exit.DONE.code();
  }

  private long printed(SessionOutput output, KafkaClients clients, String id) {
    long printed = print(output, 1);
    if (follow) {
      try (LeaseWatch watch = LeaseWatch.open(clients, id)) {
        while (watch.live()) {
          printed += print(output.poll(POLL));
        }
      }
      printed += print(output, LAST_POLLS);
    }
    return printed;
  }

  /**
   * Prints lines until this many polls in a row found the end and no new line; returns their
   * number.
   */
  private long print(SessionOutput output, int ends) {
    long printed = 0;
    int met = 0;
    while (met < ends) {
      List<OutputLine> lines = output.poll(POLL);
      printed += print(lines);
      met = lines.isEmpty() && output.atEnd() ? met + 1 : 0;
    }
    return printed;
  }

  private long print(List<OutputLine> lines) {
    for (OutputLine line : lines) {
      terminal
          .out()
          .println(
              json ? RecordJson.write(line) : line.stream() + "\t" + PlainText.line(line.line()));
    }
    return lines.size();
  }
}
