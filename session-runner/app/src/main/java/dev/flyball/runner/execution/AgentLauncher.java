package dev.flyball.runner.execution;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.session.EndCause;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
  Launch launch(Session session, Workplaces.Workplace place) {
    AgentSession earlier = resumed(session);
    SessionRequest request = session.request();
    return new Launch(
        session.id(),
        earlier == null ? agent.command(session.id()) : agent.resuming(earlier.id()),
        environment(place),
        place.directory(),
        agent
            .input()
            .of(
                session.item(),
                earlier == null ? request.fresh(whyFresh(request)) : request,
                place.codebase()));
  }

  private Map<String, String> environment(Workplaces.Workplace place) {
    if (place.temporary() == null) {
      return environment;
    }
    var with = new HashMap<>(environment);
    with.put("TMPDIR", place.temporary().toString());
    return with;
  }

  /** The agent's session that this one goes on with, which is stored here; null for a fresh one. */
  @Nullable AgentSession resumed(Session session) {
    AgentSession asked = session.request().resume();
    return asked != null && asked.home().equals(session.lease().runner()) && agent.resumes(asked)
        ? asked
        : null;
  }

  /** The runner that keeps the agent's session; null if the agent's sessions cannot be resumed. */
  @Nullable String home(Session session) {
    return agent.resumes() ? session.lease().runner() : null;
  }

  /** Whether it goes on with an earlier session; null if neither agent nor request knows of one. */
  @Nullable Boolean reused(Session session) {
    boolean known = home(session) != null || session.request().resume() != null;
    return known ? resumed(session) != null : null;
  }

  /** Returns the fault of this runner or its settings that keeps a session from starting. */
  EndCause.StartFailed failed(IOException why) {
    String code =
        switch (why) {
          case Workplaces.NoWorkplace none -> none.code();
          case CannotStart known ->
              switch (known.code()) {
                case "not-found", "not-executable" ->
                    inRepository() ? Failure.AGENT_PROGRAM_OF_SOURCE : Failure.AGENT_PROGRAM;
                case "no-directory" -> Failure.REPOSITORY;
                case "user" -> Failure.AGENT_USER;
                default -> known.code();
              };
          default -> "not-started";
        };
    return new EndCause.StartFailed(code, String.valueOf(why.getMessage()));
  }

  private boolean inRepository() {
    return !agent.program().isEmpty() && agent.program().getFirst().indexOf('/') > 0;
  }

  private String whyFresh(SessionRequest request) {
    AgentSession asked = request.resume();
    boolean same = asked != null && agent.label().equals(asked.agent());
    return same ? Handover.HOME_MISSING : Handover.OTHER_AGENT;
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

  /** Ends what a start has left that failed half way. */
  KillReport cleared(String session, Duration limit) {
    return new KillReport(List.of("KILL"), containment.cleared(session, limit), 0, 0);
  }
}
