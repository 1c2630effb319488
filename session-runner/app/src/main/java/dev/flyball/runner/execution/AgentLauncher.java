package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.runner.agent.Agent;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * Starts a runner's agent in the workplace of a session.
 *
 * @param environment the environment variables of the agent
 * @param workplaces which repository a session works in
 * @param trees records every tree's start and end
 * @param sampleEvery how often a tree is counted, and the greatest age of the reading of /proc that
 *     all sessions share
 */
public record AgentLauncher(
    Agent agent,
    Containment containment,
    Map<String, String> environment,
    Workplaces workplaces,
    LiveTrees trees,
    Duration sampleEvery) {

  public AgentLauncher {
    environment = Map.copyOf(environment);
  }

  /** What is started for a session; it may read the repository. */
  Launch launch(SessionHandle handle, Workplaces.Workplace place) {
    return new Launch(
        handle.session(),
        agent.command(handle.session()),
        environment,
        place.directory(),
        agent.input().of(handle.item(), handle.request(), place.codebase()));
  }

  /**
   * Counts the tree before it begins: a tree that lives uncounted could hide a breach of the cap.
   */
  ContainedProcess start(Launch launch, Duration until) throws IOException {
    int beside = trees.starting(launch.session());
    try {
      ContainedProcess process = containment.startUntil(launch, until);
      trees.started(beside);
      return process;
    } catch (IOException e) {
      // Nothing of the tree runs; after any other fault it stays counted until its end is verified.
      var _ = trees.gone(launch.session());
      throw e;
    }
  }
}
