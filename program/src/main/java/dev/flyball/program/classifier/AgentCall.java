package dev.flyball.program.classifier;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfiguredClassifier.ByAgent;
import dev.flyball.program.config.ModelApi;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.Fault;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.execution.LiveSession;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a model through an agent program, as {@code claude -p} without tools. Each call is one
 * contained process in an empty folder, which has ended when the call returns. Its journal is not
 * the runner's, so a call is never taken for a session. One thread asks.
 */
public final class AgentCall implements OwnedCall {
  /**
   * Begins the cookie of a call's processes, which no session's cookie does: a call needs no permit
   * and is not counted by the cap.
   */
  public static final String COOKIE_PREFIX = "triage-";

  private static final Logger log = LoggerFactory.getLogger(AgentCall.class);
  private static final InstantSource CLOCK = InstantSource.system();
  private static final int LONGEST_REASON = 400;

  /** The item of a call's row: it belongs to a whole batch. */
  private static final String NO_ITEM = "-";

  /** Far above the longest answer, with which a program repeats the prompt at most. */
  private static final long MOST_BYTES = 16 << 20;

  private static final Duration TERMINATE = Duration.ofSeconds(1);

  /** How long a program may take to exit after its result. */
  private static final Duration EXIT = Duration.ofSeconds(5);

  private static final KillLadder NOW = KillLadder.now(Duration.ofSeconds(5));

  /** How much later than the limit the deadman ends a tree: the kill ladder comes first. */
  private static final Duration LADDER = Duration.ofSeconds(5);

  /** A call's tree is bounded by its containment, so its size is not watched. */
  private static final Duration UNCOUNTED = Duration.ofDays(1);

  private final ByAgent by;
  private final Path folder;
  private final List<String> env;
  private final Confinement confinement;
  private final SessionLimits limits;
  private final Map<String, String> environment;

  private volatile boolean stopped;

  // Written by open and close, before the first call and after the last.
  private @Nullable Host host;

  /** What calls hold of the machine: the journal finds what a killed process left of them. */
  private record Host(Journal journal, Containment containment) {}

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
        MOST_BYTES,
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
    remains.forEach(AgentCall::removeWorkplace);
    return remains;
  }

  /**
   * Ends what an earlier process of this folder, which the caller has locked, left of its calls,
   * and finds the strongest containment that works here. Its processes reach the network, because a
   * model is asked over it.
   */
  @Override
  public void open() {
    Journal journal = null;
    try {
      journal = Journal.open(folder);
      for (Sweep.Remains each : new Sweep(journal, CLOCK).run()) {
        log.info(
            "triage call of an earlier process ended: call={} processes={} survivors={}",
            each.row().session(),
            each.found(),
            each.left());
        removeWorkplace(each);
      }
      Containment containment =
          ContainmentProbe.strongest(
                  ContainmentSettings.in(folder).withMemory(limits.memoryBytes()),
                  confinement.minimum(),
                  confinement.maximum(),
                  confinement.user())
              .containment();
      if (!Kernel.hideFromSameUser()) {
        log.warn("agents of this user can read this process's environment: prctl was denied");
      }
      host = new Host(journal, containment);
    } catch (IOException e) {
      close(journal);
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
      close(host.journal());
      host = null;
    }
  }

  private static void close(@Nullable Journal journal) {
    try {
      if (journal != null) {
        journal.close();
      }
    } catch (IOException e) {
      log.warn("journal of triage calls not closed: cause={}", e.getMessage());
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
    Path workplace = null;
    try {
      workplace = workplace();
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
      return answered(launch, agent, redactor);
    } catch (CannotStart e) {
      throw new ModelFailure(Kind.REFUSED, String.valueOf(e.getMessage()), null, 0L);
    } catch (IOException e) {
      String reason = by.agent().name() + " not started: " + e.getMessage();
      throw new ModelFailure(Kind.UNAVAILABLE, line(redactor, reason), null, 0L);
    } finally {
      if (workplace != null) {
        remove(workplace);
      }
    }
  }

  /**
   * An empty folder outside the data folder, which may lie in a repository: programs search the
   * folders above for instructions.
   */
  private Path workplace() throws IOException {
    Path workplace = Files.createTempDirectory("flyball-call-");
    if (confinement.user().isPresent()) {
      // Another user has to read it.
      Files.setPosixFilePermissions(workplace, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return workplace;
  }

  /**
   * Runs a program until nothing of it lives, read and ended as a session's is. A deadman outside
   * this JVM ends the tree too, so it outlives neither its limit nor Flyball.
   *
   * @throws IOException if it was not started
   * @throws InterruptedException if this thread was interrupted; nothing of the program lives
   */
  private Reply answered(Launch launch, Agent agent, Redactor redactor)
      throws ModelFailure, IOException, InterruptedException {
    Host open = host;
    if (open == null) {
      throw new IOException("triage calls are not open");
    }
    String call = launch.session();
    // Before its process starts: else no sweep would search for it, nor for its folder, which the
    // row has where that of a session has its token.
    open.journal()
        .opened(
            new Journal.Row(
                call,
                NO_ITEM,
                launch.directory().toString(),
                open.containment().level().label(),
                Identity.own(),
                Optional.empty(),
                CLOCK.millis()));
    ContainedProcess process = started(launch, open);
    var chunks = new OutputChunks(call, redactor, _ -> true, CLOCK);
    var live = new LiveSession(process, agent, TokenCount.NONE, limits, UNCOUNTED, chunks);
    try {
      open.journal().started(call, process.identity());
      live.begin();
      End cause = watched(live);
      boolean gently = cause.by(End.Cause.TIMED_OUT);
      var _ = live.kill(gently ? agent.ladder(limits.grace(), NOW.verify()) : NOW);
      Exit exit = live.exit();
      AgentAnswer answer = live.answer(cause, exit);
      boolean bySelf = cause.by(End.Cause.EXITED) && !exit.signalled();
      Usage used = live.vitals().usage();
      Usage booked = agent.booked(used, by.reserveMicros(), live.reported(), bySelf);
      if (answer instanceof AgentAnswer.Broken broken) {
        throw failure(cause, broken, live.turnEnded(), redactor)
            .costing(booked.costMicros(), used.tokens());
      }
      String text = redactor.redact(answer.text());
      return new Reply(
          agent.is(Agent.Trait.TAKES_SCHEMA) ? text : ModelApi.object(text),
          booked.costMicros(),
          used.inputTokens() + used.cachedTokens(),
          used.outputTokens());
    } finally {
      cleared(call, open.journal(), process.kill(NOW).survivors());
      // Else an interrupted call keeps two threads while a process outside it holds its pipes open.
      live.join();
    }
  }

  private End watched(LiveSession live) throws InterruptedException {
    End cause = live.cause();
    while (cause == null) {
      if (stopped) {
        live.stop(End.of(End.Cause.INTERRUPTED, "stopped with Flyball"));
      }
      var _ = live.next();
      cause = live.cause();
    }
    return cause;
  }

  private ContainedProcess started(Launch launch, Host open) throws IOException {
    String call = launch.session();
    try {
      return open.containment().start(launch, limits.wallClock().plus(LADDER));
    } catch (IOException e) {
      open.journal().forget(call);
      throw e;
    } catch (RuntimeException | Error e) {
      cleared(call, open.journal(), open.containment().cleared(call, NOW.verify()));
      throw e;
    }
  }

  private static void cleared(String call, Journal journal, int survivors) {
    if (survivors > 0) {
      log.error(
          "processes of a triage call cannot be ended: call={} survivors={}", call, survivors);
      return;
    }
    try {
      journal.forget(call);
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("row of a triage call not removed: call={} cause={}", call, e.getMessage());
    }
  }

  private ModelFailure failure(
      End cause, AgentAnswer.Broken broken, boolean reported, Redactor redactor) {
    Kind kind = kind(broken);
    String reason = broken.reason();
    String fix = "";
    Duration pause = null;
    if (cause.by(End.Cause.INTERRUPTED)) {
      kind = Kind.UNAVAILABLE;
      reason = cause.text();
    } else if (broken.blamesOthers()) {
      reason = End.blame(broken);
      fix = broken.accountExhausted() ? "; add money" : "";
      pause = untilThen(broken.fault());
    } else if (cause.by(End.Cause.TIMED_OUT) && !reported) {
      kind = Kind.SLOW;
      reason = "no answer within " + by.limit().toSeconds() + " s";
    } else if (cause.by(End.Cause.OVER_LIMIT)) {
      kind = Kind.BAD_BATCH;
      reason = "more output than " + (MOST_BYTES >> 20) + " MiB";
    }
    return new ModelFailure(
        kind, line(redactor, by.agent().name() + ": " + reason) + fix, pause, null);
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

  /** Deletes the folder in which a call worked that an earlier process left. */
  private static void removeWorkplace(Sweep.Remains remains) {
    Path workplace = Path.of(remains.row().token());
    if (!remains.skipped() && workplace.isAbsolute() && Files.exists(workplace)) {
      remove(workplace);
    }
  }

  /** Deletes a folder of a call, or another temporary one, with what is in it. */
  public static void remove(Path workplace) {
    try (Stream<Path> all = Files.walk(workplace)) {
      List<Path> inside = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : inside) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("temporary folder not deleted: folder={} cause={}", workplace, e.toString());
    }
  }
}
