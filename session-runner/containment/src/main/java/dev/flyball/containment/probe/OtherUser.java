package dev.flyball.containment.probe;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.containment.session.Tools;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Starts agents as another user, inside any containment. Such an agent can neither signal the
 * runner or its supervisor, nor read the runner's files, nor become another user again.
 */
record OtherUser(Containment inner, AgentUser user) implements Containment {
  @Override
  public String toString() {
    return inner + " as " + user.name();
  }

  @Override
  public Level level() {
    return inner.level();
  }

  @Override
  public List<String> missing() {
    return inner.missing();
  }

  @Override
  public boolean networked() {
    return inner.networked();
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration end) throws IOException {
    // Checked for the agent, not for the program that changes the user.
    launch.check();
    var command = new ArrayList<String>();
    command.addAll(List.of(Tools.need("setpriv"), "--reuid", user.uid(), "--regid", user.gid()));
    command.addAll(List.of("--init-groups", "--inh-caps=-all", "--no-new-privs", "--"));
    command.addAll(launch.command());
    var environment = new HashMap<>(launch.environment());
    environment.put("HOME", user.home());
    environment.put("USER", user.name());
    return inner.startUntil(
        new Launch(launch.session(), command, environment, launch.directory(), launch.prompt()),
        end);
  }

  @Override
  public int cleared(String session, Duration limit) {
    return inner.cleared(session, limit);
  }
}
