package dev.flyball.runner.process;

import dev.flyball.runner.process.ProcessTable.Entry;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A session at level C: the agent in a kernel session of its own, and whatever the tracker knows to
 * be its.
 */
final class TrackedSession implements ContainedProcess, Climb.Tree {
  private final String session;
  private final Process agent;
  private final Guard guard;
  private final Runnable gone;
  private final Identity identity;
  private final Tracker tracker;
  private final CompletableFuture<Exit> exit;
  private final Climb climb = new Climb(this);

  TrackedSession(String session, Process agent, Guard guard, Runnable gone) {
    this.session = session;
    this.agent = agent;
    this.guard = guard;
    this.gone = gone;
    this.identity = Identities.of((int) agent.pid());
    this.tracker = new Tracker(session);
    tracker.add((int) agent.pid(), identity.startTicks());
    this.exit = agent.onExit().thenApply(ended -> Exit.of(ended.exitValue()));
  }

  @Override
  public Identity identity() {
    return identity;
  }

  @Override
  public InputStream out() {
    return agent.getInputStream();
  }

  @Override
  public InputStream err() {
    return agent.getErrorStream();
  }

  @Override
  public boolean extendTo(Duration end) {
    return guard.extend(session, BootClock.centisOf(end)) && agent.isAlive();
  }

  @Override
  public CompletableFuture<Exit> onExit() {
    return exit;
  }

  @Override
  public Sample sample(Duration age) {
    return climb.seen(ProcessTable.recent(age));
  }

  @Override
  public KillReport kill(KillLadder ladder) {
    KillReport report = climb.climb(ladder);
    if (report.survivors() == 0) {
      guard.remove(session);
      gone.run();
    }
    return report;
  }

  @Override
  public List<Entry> members(ProcessTable table) {
    return tracker.members(table);
  }

  @Override
  public List<Entry> main(ProcessTable table) {
    return table
        .find((int) identity.pid())
        .filter(e -> e.startTicks() == identity.startTicks() && e.alive())
        .stream()
        .toList();
  }

  @Override
  public void killAll(ProcessTable table) {
    Tracks.strike(left(table));
    Tracker.chase(List.of(tracker), table);
  }

  @Override
  public List<Entry> left(ProcessTable table) {
    return members(table).stream().filter(Entry::alive).toList();
  }

  @Override
  public ProcessTable look() {
    return ProcessTable.readClosely();
  }

  @Override
  public boolean sure() {
    return tracker.sure();
  }

  @Override
  public int cleanLooks() {
    return 5;
  }

  @Override
  public boolean running() {
    return agent.isAlive();
  }
}
