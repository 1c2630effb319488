package dev.flyball.runner.agent;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentOutput.LineReader;
import dev.flyball.testkit.InstalledProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One contained session of an installed program, read through its adapter. */
final class ClaudeCli implements AutoCloseable {
  private final String id;
  private final ContainedProcess process;
  private final Agent.Reader reader;
  private final List<AgentSignal> signals = new ArrayList<>();
  private final StringBuilder complaints = new StringBuilder();
  private final CompletableFuture<Void> read;

  private ClaudeCli(String id, ContainedProcess process, Agent.Reader reader) {
    this.id = id;
    this.process = process;
    this.reader = reader;
    this.read =
        CompletableFuture.allOf(
            drain(process.out(), line -> signals.addAll(reader.line(line))),
            drain(process.err(), line -> complaints.append(line).append('\n')));
  }

  /** Where sessions run: a repository, contained, each with a home of its own beside it. */
  record Place(Path repository, Containment containment) {
    private static final Duration LIFE = Duration.ofMinutes(2);

    static Place in(Path folder) throws IOException {
      return in(folder, Level.A, Level.A_PLUS);
    }

    static Place in(Path folder, Level minimum, Level maximum) throws IOException {
      return new Place(
          Files.createDirectory(folder.resolve("repository")),
          ContainmentProbe.strongest(ContainmentSettings.in(folder), minimum, maximum)
              .containment());
    }

    /** Starts a session with these variables. */
    ClaudeCli start(Agent adapter, Map<String, String> variables) {
      String id = UUID.randomUUID().toString();
      return start(adapter, variables, id, adapter.command(id), adapter.reader());
    }

    /** Goes on with what an earlier session said and did, and used. */
    ClaudeCli resume(
        String earlier, TokenCount before, Agent adapter, Map<String, String> variables) {
      Agent.Reader reader = adapter.readers().apply(before);
      return start(adapter, variables, earlier, adapter.resuming(earlier), reader);
    }

    private ClaudeCli start(
        Agent adapter,
        Map<String, String> variables,
        String id,
        List<String> command,
        Agent.Reader reader) {
      try {
        Path home = Files.createDirectories(repository.resolveSibling("home-" + id));
        var environment = new HashMap<>(adapter.variables().sets());
        environment.putAll(variables);
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("HOME", home.toString());
        // Seconds, not minutes, until it gives up.
        environment.put("CLAUDE_CODE_MAX_RETRIES", "1");
        var installed = new ArrayList<>(command);
        installed.set(
            command.indexOf(adapter.label()), InstalledProgram.agent(adapter.label()).toString());
        var launch =
            new Launch(
                UUID.randomUUID().toString(),
                installed,
                environment,
                repository,
                "the prompt of this test\n");
        return new ClaudeCli(id, containment.start(launch, LIFE), reader);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  String id() {
    return id;
  }

  /** What it answered, once it has ended. */
  AgentAnswer answer() {
    ContainedProcess.Exit exit = process.onExit().orTimeout(90, TimeUnit.SECONDS).join();
    read.orTimeout(20, TimeUnit.SECONDS).join();
    synchronized (this) {
      return reader.end(exit, complaints.toString());
    }
  }

  /** The kind and code of a failure, or that there is none. */
  static String failure(AgentAnswer answer) {
    return answer instanceof AgentAnswer.Broken broken
        ? broken.failure().kind().label() + " " + broken.failure().code()
        : "answered";
  }

  /** Its answer if it were ended now, because it had been silent for long. */
  synchronized AgentAnswer afterSilence() {
    return reader.soFar(true);
  }

  /** How far it has reported what it used. */
  synchronized Agent.Reported reported() {
    return reader.reported();
  }

  /** What it said of one kind until now. */
  synchronized <T extends AgentSignal> List<T> said(Class<T> kind) {
    return signals.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  boolean ended() {
    return process.onExit().isDone();
  }

  /** Moves its deadman, which ends it after this time. */
  void endsIn(Duration time) {
    process.extendTo(BootClock.sinceBoot().plus(time));
  }

  /** Kills its outermost process, the warden or the supervisor, and nothing else. */
  void killSupervisor() {
    ProcessHandle.of(process.identity().pid()).ifPresent(ProcessHandle::destroyForcibly);
  }

  KillReport kill(KillLadder ladder) {
    return process.kill(ladder);
  }

  @Override
  public void close() {
    process.kill(KillLadder.now(Duration.ofSeconds(10)));
  }

  private CompletableFuture<Void> drain(InputStream in, Consumer<String> consumer) {
    var done = new CompletableFuture<Void>();
    Thread.ofVirtual()
        .start(() -> {
          var lines = new LineReader(in, 10 << 20);
          try {
            for (String line = lines.next(); line != null; line = lines.next()) {
              synchronized (this) {
                consumer.accept(line);
              }
            }
            done.complete(null);
          } catch (IOException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }
}
