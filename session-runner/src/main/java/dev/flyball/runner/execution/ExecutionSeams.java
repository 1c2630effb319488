package dev.flyball.runner.execution;

import dev.flyball.runner.agent.AgentAdapter;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.process.Containment;
import dev.flyball.runner.session.SessionLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * What every session of a runner works with.
 *
 * @param environment what agents get to see
 * @param workplaces which repository a session works in
 * @param sampleEvery how often a tree is counted, and how old a reading of /proc, which all
 *     sessions share, may be then
 * @param trees told of every tree's start and end
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
