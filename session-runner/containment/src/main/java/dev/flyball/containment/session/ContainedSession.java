package dev.flyball.containment.session;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.kill.KillSequence;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A running session, the same at every level. Its outermost process is a warden or a supervisor,
 * which holds the deadline; the level's tree knows which processes belong to it.
 */
public final class ContainedSession implements ContainedProcess {
  private final Process outermost;
  private final Identity identity;
  private final SessionFiles files;
  private final KillSequence killSequence;
  private final CompletableFuture<Exit> exit;

  private ContainedSession(
      Process outermost, Identity identity, SessionFiles files, KillSequence.Tree tree) {
    this.outermost = outermost;
    this.identity = identity;
    this.files = files;
    this.killSequence = new KillSequence(tree);
    this.exit =
        outermost
            .onExit()
            .thenApply(ended -> {
              files.close();
              return Exit.of(ended.exitValue());
            });
  }

  /** What is outermost at a level. */
  public interface Outermost {
    /**
     * Completes its start: the command, and any variables.
     *
     * @param start with the agent's folder, the deadline as its input, and no variable
     * @param files with the agent's input
     */
    void describe(ProcessBuilder start, SessionFiles files) throws IOException;
  }

  /** Which processes belong to a session at a level. */
  public interface Members {
    /** Those of a session whose outermost process runs. */
    KillSequence.Tree of(Process outermost, Identity identity, SessionFiles files);
  }

  /**
   * Starts a session, the same at every level. The deadline is written before the first process
   * exists.
   *
   * @param folder for the session's files
   * @throws IOException as {@link dev.flyball.containment.Containment#startUntil} has it
   */
  public static ContainedSession start(
      Launch launch, Duration until, Path folder, Outermost outermost, Members members)
      throws IOException {
    launch.check();
    var files = SessionFiles.create(folder, launch.session(), BootClock.centisOf(until));
    try {
      files.writePrompt(launch.prompt());
      var start =
          new ProcessBuilder()
              .directory(launch.directory().toFile())
              .redirectInput(files.deadline().toFile());
      start.environment().clear();
      outermost.describe(start, files);
      Process process = Spawner.start(start::start);
      files.hideDeadline();
      Identity identity = Identity.of(process.pid());
      return new ContainedSession(process, identity, files, members.of(process, identity, files));
    } catch (IOException | RuntimeException | Error e) {
      // If a warden was started nevertheless, it ends whatever it has started.
      files.passDeadline();
      files.close();
      throw e;
    }
  }

  @Override
  public Identity identity() {
    return identity;
  }

  @Override
  public InputStream out() {
    return outermost.getInputStream();
  }

  @Override
  public InputStream err() {
    return outermost.getErrorStream();
  }

  @Override
  public boolean extendTo(Duration end) {
    return files.moveDeadline(BootClock.centisOf(end)) && outermost.isAlive();
  }

  @Override
  public CompletableFuture<Exit> onExit() {
    return exit;
  }

  @Override
  public Sample sample(Duration age) {
    return killSequence.sample(ProcessTable.recent(age));
  }

  @Override
  public KillReport kill(KillLadder ladder) {
    return killSequence.kill(ladder);
  }
}
