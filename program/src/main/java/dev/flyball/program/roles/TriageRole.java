package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.OwnedCall;
import dev.flyball.triage.TriageApp;
import java.io.IOException;

/**
 * The role {@code triage} where a model judges: triage-stream, and what its calls need, which is
 * ready before the first call and closed after the last.
 */
final class TriageRole implements Service {
  private final TriageApp triage;
  private final OwnedCall model;

  TriageRole(TriageApp triage, OwnedCall model) {
    this.triage = triage;
    this.model = model;
  }

  @Override
  public void start() {
    try {
      model.open();
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
    triage.start();
  }

  /** The call in flight ends first: its batch is asked again at the next start. */
  @Override
  public void stop() {
    model.cease();
    triage.stop();
    model.close();
  }

  @Override
  public Health health() {
    return triage.health();
  }
}
