package dev.flyball.containment.session;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.kill.KillSequence;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A running session, the same at every level. Its outermost process is a warden or a supervisor,
 * which holds the deadline; the level's tree knows which processes belong to it.
 */
public final class ContainedSession implements ContainedProcess {
  private final Process outermost;
  private final Identity identity;
  private final Deadline deadline;
  private final KillSequence killSequence;
  private final CompletableFuture<Exit> exit;

  /**
   * A session whose first process runs.
   *
   * @param files removed when that process exits, as the deadline is
   */
  public ContainedSession(
      Process outermost,
      Identity identity,
      Deadline deadline,
      KillSequence.Tree tree,
      SessionFiles files) {
    this.outermost = outermost;
    this.identity = identity;
    this.deadline = deadline;
    this.killSequence = new KillSequence(tree);
    this.exit =
        outermost
            .onExit()
            .thenApply(ended -> {
              files.remove();
              deadline.close();
              return Exit.of(ended.exitValue());
            });
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
    return deadline.moveTo(BootClock.centisOf(end)) && outermost.isAlive();
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
