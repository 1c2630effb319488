package dev.flyball.runner.execution;

import dev.flyball.containment.Containment;
import dev.flyball.runner.agent.AgentAdapter;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.session.SessionLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * The parts that every session of a runner works with.
 *
 * @param environment the environment variables of agents
 * @param workplaces which repository a session works in
 * @param sampleEvery how often a tree is counted, and the greatest age of the reading of /proc that
 *     all sessions share
 * @param trees records every tree's start and end
 */
public record ExecutionSeams(
    AgentAdapter adapter,
    Containment containment,
    SessionJournal journal,
    EventSink events,
    LeaseHold lease,
    SessionLimits limits,
    Redactor redactor,
    Map<String, String> environment,
    Workplaces workplaces,
    InstantSource clock,
    Duration sampleEvery,
    LiveTrees trees) {

  public ExecutionSeams {
    environment = Map.copyOf(environment);
  }
}
