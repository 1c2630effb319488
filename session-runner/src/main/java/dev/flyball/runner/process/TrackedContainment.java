package dev.flyball.runner.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Level C, the last resort: a kernel session for each agent, a tracker that remembers what it saw,
 * and one guard process that holds the deadlines and kills when this runner is gone. A child that
 * leaves its session, its environment and its parent between two looks escapes.
 */
final class TrackedContainment implements Containment {
  /** How often the trees are looked at: what is seen once is remembered. */
  private static final Duration LOOK = Duration.ofMillis(250);

  private static final String PRELUDE = Tools.script("prelude.sh");

  private final ContainmentSettings settings;
  private final Duration between;
  private final Guard guard;
  private final Map<String, TrackedSession> live = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Starts the guard. */
  TrackedContainment(ContainmentSettings settings) throws IOException {
    this(settings, LOOK);
  }

  TrackedContainment(ContainmentSettings settings, Duration between) throws IOException {
    this.settings = settings.prepared();
    this.between = between;
    this.guard = new Guard(settings, this::killAll);
    Thread.ofPlatform().daemon().name("tracker").start(this::look);
  }

  @Override
  public String toString() {
    return "C";
  }

  @Override
  public Level level() {
    return Level.C;
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration until) throws IOException {
    LaunchCheck.check(launch);
    long end = BootClock.centisOf(until);
    guard.add(launch.session(), end);
    Path prompt = Prompt.write(settings.folder(), launch);
    try {
      var builder = new ProcessBuilder(command(launch, prompt, end));
      builder.environment().clear();
      builder.environment().putAll(AgentEnvironment.of(launch));
      builder.directory(launch.directory().toFile());
      Process agent = Spawner.start(builder);
      agent.getOutputStream().close();
      var session =
          new TrackedSession(launch.session(), agent, guard, () -> live.remove(launch.session()));
      guard.root(launch.session(), session.identity());
      live.put(launch.session(), session);
      var _ = session.onExit().thenRun(() -> Prompt.forget(prompt));
      return session;
    } catch (IOException e) {
      guard.remove(launch.session());
      Prompt.forget(prompt);
      throw e;
    }
  }

  /** The guard's pid, for tests that end it. */
  long guardPid() {
    return guard.pid();
  }

  @Override
  public void close() {
    closed = true;
    guard.close();
  }

  private static List<String> command(Launch launch, Path prompt, long end) throws CannotStart {
    var command = new ArrayList<String>();
    command.add(Tools.need("setsid"));
    Optional<String> setpriv = Tools.find("setpriv");
    setpriv.ifPresent(program -> command.addAll(List.of(program, "--pdeathsig", "KILL")));
    command.addAll(
        List.of(
            Tools.need("sh"),
            "-c",
            PRELUDE,
            "flyball-prelude",
            prompt.toString(),
            Long.toString(end)));
    command.addAll(launch.command());
    return command;
  }

  private void look() {
    while (!closed) {
      Tracks.pause(between);
      if (!live.isEmpty()) {
        ProcessTable table = ProcessTable.recent(between.dividedBy(2));
        live.values().forEach(session -> session.members(table));
      }
    }
  }

  /** Without a guard nobody would end these trees if we froze. */
  private void killAll() {
    live.values()
        .forEach(session -> session.kill(ContainedProcess.KillLadder.now(Duration.ofSeconds(10))));
  }
}
