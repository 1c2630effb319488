package dev.flyball.program.classifier;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Launch;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.CallHost.Ended;
import dev.flyball.program.config.ConfiguredClassifier.ByAgent;
import dev.flyball.program.config.ModelApi;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Fault;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.session.EndCause;
import dev.flyball.runner.session.SessionEnd;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model through an agent program, as {@code claude -p} without tools. Each call is one
 * contained process in an empty folder, which has ended when the call returns. One thread asks.
 */
public final class AgentCall implements OwnedCall {
  /**
   * Begins the cookie of a call's processes, which no session's cookie does: a call needs no permit
   * and is not counted by the cap.
   */
  public static final String COOKIE_PREFIX = "triage-";

  private static final int LONGEST_REASON = 400;

  /** Far above the longest answer, with which a program repeats the prompt at most. */
  private static final long MOST_BYTES = 16 << 20;

  private static final Duration TERMINATE = Duration.ofSeconds(1);

  /** How long a program may take to exit after its result. */
  private static final Duration EXIT = Duration.ofSeconds(5);

  private final ByAgent by;
  private final Path folder;
  private final List<String> env;
  private final Confinement confinement;
  private final SessionLimits limits;
  private final Map<String, String> environment;

  private volatile boolean stopped;

  // Written by open and close, before the first call and after the last.
  private @Nullable CallHost host;

  /**
   * Creates the edge; nothing is opened yet.
   *
   * @param folder where calls are journaled
   * @param env names of further variables that the program inherits, besides the profile's
   * @param confinement what holds its processes, and as which user they run, as for sessions; the
   *     network is always reachable
   * @param environment this process's environment, of which the program inherits an allow-list
   */
  public AgentCall(
      ByAgent by,
      Path folder,
      List<String> env,
      Confinement confinement,
      SessionLimits limits,
      Map<String, String> environment) {
    this.by = by;
    this.folder = folder;
    this.env = Stream.concat(env.stream(), by.profile().env().stream()).distinct().toList();
    this.confinement = confinement;
    this.limits = limits;
    this.environment = Map.copyOf(environment);
  }

  /**
   * Those of a call: of a session that is bounded by its time and its output alone.
   *
   * @param memoryBytes the most that its processes may use where a control group limits them
   */
  public static SessionLimits limits(Duration limit, long memoryBytes) {
    return limits(limit, memoryBytes, MOST_BYTES);
  }

  static SessionLimits limits(Duration limit, long memoryBytes, long outputBytes) {
    int any = Integer.MAX_VALUE;
    return new SessionLimits(
        limit,
        limit,
        limit,
        limit,
        limit,
        TERMINATE,
        EXIT,
        any,
        any,
        memoryBytes,
        outputBytes,
        0,
        0);
  }

  /**
   * Ends by hand what a killed process left of its calls in a folder that the caller has locked.
   *
   * @throws IOException if the folder cannot be used; one line with the fix
   */
  public static List<Sweep.Remains> sweep(Path folder) throws IOException {
    List<Sweep.Remains> remains = Sweep.byHand(folder);
    remains.forEach(CallHost::removeWorkplace);
    return remains;
  }

  /** Finds a containment, and ends what an earlier process left of its calls. */
  @Override
  public void open() {
    try {
      host = CallHost.open(folder, confinement, limits.memoryBytes());
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void cease() {
    stopped = true;
  }

  @Override
  public void close() {
    if (host != null) {
      host.close();
      host = null;
    }
  }

  @Override
  public String model() {
    String model = by.agent().model();
    return by.agent().name() + (model == null ? "" : "/" + model);
  }

  @Override
  public Reply ask(String prompt, String schema) throws ModelFailure, InterruptedException {
    Agent agent =
        by.profile()
            .oneAnswer(schema, by.budgetMicros())
            .orElseThrow(() ->
                new ModelFailure(
                    Kind.REFUSED, by.agent().name() + " answers no questions", null, 0L));
    var redactor = new Redactor(agent.secrets(environment, env));
    Ended ended;
    try {
      ended = ended(agent, prompt, schema, redactor);
    } catch (CannotStart e) {
      throw new ModelFailure(Kind.REFUSED, String.valueOf(e.getMessage()), null, 0L);
    } catch (IOException e) {
      String reason = by.agent().name() + " not started: " + e.getMessage();
      throw new ModelFailure(Kind.UNAVAILABLE, line(redactor, reason), null, 0L);
    }
    if (ended.answer() instanceof AgentAnswer.Broken broken) {
      throw failure(ended, broken, redactor);
    }
    String text = redactor.redact(ended.answer().text());
    return new Reply(
        agent.is(Agent.Trait.TAKES_SCHEMA) ? text : ModelApi.object(text),
        ended.booked().costMicros(),
        ended.used().inputTokens() + ended.used().cachedTokens(),
        ended.used().outputTokens());
  }

  private Ended ended(Agent agent, String prompt, String schema, Redactor redactor)
      throws IOException, InterruptedException {
    CallHost open = host;
    if (open == null) {
      throw new IOException("triage calls are not open");
    }
    // Outside the data folder, which may lie in a repository: programs search the folders above for
    // instructions.
    Path workplace = Files.createTempDirectory("flyball-call-");
    try {
      if (confinement.user().isPresent()) {
        // Another user has to read it.
        Files.setPosixFilePermissions(workplace, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      boolean flag = agent.is(Agent.Trait.TAKES_SCHEMA);
      if (agent.program().contains(AgentProgram.SCHEMA_FILE)) {
        Files.writeString(workplace.resolve(AgentProgram.SCHEMA_FILE), schema);
      }
      var launch =
          new Launch(
              COOKIE_PREFIX + UUID.randomUUID(),
              agent.program(),
              agent.environment(environment, env),
              workplace,
              flag ? prompt : ModelApi.asked(prompt, schema));
      return open.run(launch, agent, limits, by.reserveMicros(), redactor, () -> stopped);
    } finally {
      CallHost.remove(workplace);
    }
  }

  private ModelFailure failure(Ended ended, AgentAnswer.Broken broken, Redactor redactor) {
    Kind kind = kind(broken);
    String reason = broken.reason();
    String fix = "";
    Duration pause = null;
    if (ended.cause() instanceof EndCause.Interrupted stop) {
      kind = Kind.UNAVAILABLE;
      reason = stop.text();
    } else if (broken.blamesOthers()) {
      reason = SessionEnd.blame(broken);
      fix = broken.accountExhausted() ? "; add money" : "";
      pause = untilThen(broken.fault());
    } else if (ended.cause() instanceof EndCause.TimedOut && !ended.reported()) {
      kind = Kind.SLOW;
      reason = "no answer within " + by.limit().toSeconds() + " s";
    } else if (ended.cause() instanceof EndCause.OverLimit) {
      kind = Kind.BAD_BATCH;
      reason = "more output than " + (limits.outputBytes() >> 20) + " MiB";
    }
    return new ModelFailure(
        kind,
        line(redactor, by.agent().name() + ": " + reason) + fix,
        pause,
        ended.booked().costMicros(),
        ended.used().tokens());
  }

  private static Kind kind(AgentAnswer.Broken broken) {
    return switch (broken.failure().kind()) {
      case PERMANENT, POISON -> Kind.BAD_BATCH;
      case TRANSIENT ->
          broken.failure().code().equals("no-structured-answer") ? Kind.BAD_BATCH : Kind.UNCLEAR;
      // An empty account and a login wait for a person; a limit, an outage and a network end.
      case PROVIDER -> broken.accountExhausted() ? Kind.REFUSED : Kind.UNAVAILABLE;
      case RUNNER ->
          broken.failure().code().equals("agent-network") ? Kind.UNAVAILABLE : Kind.REFUSED;
    };
  }

  /** Subtracts in seconds: a program may report a time that no instant can hold. */
  private static @Nullable Duration untilThen(Fault fault) {
    Instant now = Instant.now();
    long seconds = fault.until(now) - now.getEpochSecond();
    return seconds <= 0 ? null : Duration.ofSeconds(seconds);
  }

  private static String line(Redactor redactor, String reason) {
    return OneLine.of(redactor.redact(reason), LONGEST_REASON);
  }
}
