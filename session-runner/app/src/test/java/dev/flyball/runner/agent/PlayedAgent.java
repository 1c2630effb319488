package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.Vitals;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An agent's recorded output, read by its adapter. {@code #err TEXT} is a line of standard error,
 * {@code #exit CODE} and {@code #kill SIGNAL} are its end, and {@code #sleep SECONDS} is silence,
 * of which a session survives less than eight minutes.
 */
final class PlayedAgent {
  static final long RESERVE = 500_000;
  static final Exit OK = new Exit(0, 0);
  static final End SILENCE =
      End.timedOut(End.Clock.STALL, Duration.ofMinutes(8), new Vitals.Lines(0, 0));

  private static final Map<String, Integer> SIGNALS =
      Map.of("ILL", 4, "ABRT", 6, "KILL", 9, "SEGV", 11);

  final List<AgentSignal> said = new ArrayList<>();
  final Agent.Reader reader;
  Exit exit = OK;
  End cause = End.EXITED;
  private final Agent agent;
  private final StringBuilder stderr = new StringBuilder();

  PlayedAgent(Agent agent, List<String> lines) {
    this.agent = agent;
    this.reader = agent.reader();
    lines.forEach(this::take);
  }

  /** An agent by its name; a program of the operator is named {@code command}. */
  static Agent agent(String name) {
    String configured = name.equals("command") ? "command:/bin/agent" : name;
    return AgentProgram.parse(configured).withModel("some-model").session(Setup.DEFAULT);
  }

  static List<String> lines(String resource) {
    try (InputStream in = PlayedAgent.class.getResourceAsStream("/agents/" + resource)) {
      return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  AgentAnswer answer() {
    return cause.by(End.Cause.EXITED)
        ? reader.end(exit, stderr.toString())
        : reader.soFar(cause.equals(SILENCE));
  }

  End end() {
    return cause.given(answer(), exit);
  }

  /** What is booked for it, in micro-dollars; only an agent that costs money has a reserve. */
  long booked() {
    Usage used =
        said.stream()
            .filter(Usage.class::isInstance)
            .map(Usage.class::cast)
            .reduce(Usage.NONE, (earlier, later) -> later);
    boolean bySelf = cause.by(End.Cause.EXITED) && !exit.signalled();
    long reserve = agent.is(Agent.Trait.PAID) ? RESERVE : 0;
    return agent.booked(used, reserve, reader.reported(), bySelf).costMicros();
  }

  private void take(String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case "#err" -> stderr.append(words[1]).append('\n');
      case "#exit" -> exit = new Exit(Integer.parseInt(words[1]), 0);
      case "#kill" -> {
        int signal = SIGNALS.getOrDefault(words[1], 15);
        exit = new Exit(128 + signal, signal);
      }
      case "#sleep" -> {
        if (Integer.parseInt(words[1]) > 480) {
          cause = SILENCE;
          exit = new Exit(137, 9);
        }
      }
      default -> reader.line(line).stream().map(agent::priced).forEach(said::add);
    }
  }
}
