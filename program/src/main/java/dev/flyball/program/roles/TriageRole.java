package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.triage.TriageApp;
import java.io.IOException;

/**
 * The role {@code triage} where an agent program judges: triage-stream, and the place of the
 * program's processes, which is ready before the first call and closed after the last.
 */
final class TriageRole implements Service {
  private final TriageApp triage;
  private final AgentCall agent;

  TriageRole(TriageApp triage, AgentCall agent) {
    this.triage = triage;
    this.agent = agent;
  }

  @Override
  public void start() {
    try {
      agent.open();
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
    triage.start();
  }

  /** The call in flight ends first: its batch is asked again at the next start. */
  @Override
  public void stop() {
    agent.cease();
    triage.stop();
    agent.close();
  }

  @Override
  public Health health() {
    return triage.health();
  }
}
