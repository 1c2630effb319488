package dev.flyball.containment.supervisor;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kill.Reaper;
import dev.flyball.containment.session.ContainedSession;
import dev.flyball.containment.session.Deadline;
import dev.flyball.containment.session.SessionFiles;
import dev.flyball.containment.session.Spawner;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.time.Duration;

/**
 * Level B: a supervisor for each session, which becomes the parent of every descendant that loses
 * its own, and that holds the deadman's deadline. It is the warden in C, twice: one around the
 * other. It needs only a Linux kernel, so it works in containers that deny namespaces.
 *
 * <p>No process can leave the tree. But an agent of the same user can kill both of its supervisors;
 * the runner then adopts what is left.
 */
public final class SupervisedContainment implements Containment {
  private final NativeWarden warden;

  /** Makes this JVM adopt what killed supervisors leave. */
  public SupervisedContainment(NativeWarden warden) throws CannotStart {
    Orphans.adopt();
    this.warden = warden;
  }

  @Override
  public String toString() {
    return level().label();
  }

  @Override
  public Level level() {
    return Level.B;
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration until) throws IOException {
    launch.check();
    long end = BootClock.centisOf(until);
    var files = new SessionFiles(warden.settings().folder().toAbsolutePath(), launch.session());
    var deadline = Deadline.in(files, end);
    try {
      Process process = Spawner.start(warden.supervising(launch, files, deadline)::start);
      deadline.hide();
      Identity identity = Identity.of(process.pid());
      var tree = new SupervisedTree(launch.session(), process, identity, deadline);
      return new ContainedSession(process, identity, deadline, tree, files);
    } catch (IOException | RuntimeException | Error e) {
      // If a supervisor was started nevertheless, it ends whatever it has started.
      deadline.pass();
      deadline.close();
      files.remove();
      throw e;
    }
  }

  @Override
  public int cleared(String session, Duration limit) {
    return Reaper.reapStart(session, limit).survivors();
  }
}
