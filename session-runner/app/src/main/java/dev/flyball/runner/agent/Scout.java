package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.scout.ScoutInput;
import dev.flyball.scout.ScoutMain;
import java.util.Optional;
import java.util.Set;

/**
 * The bundled agent, as a separate process: it must be as killable and as bounded as any other. It
 * runs on this JVM's Java with the few jars that it needs. It reads the work item instead of a
 * prompt, because it ranks words, asks no model and takes no instructions.
 */
public record Scout() implements AgentProgram {
  @Override
  public Facts facts() {
    return new Facts("scout", null, null, null, null, null, new AgentArguments(Set.of(), Set.of()));
  }

  /** It costs nothing. */
  @Override
  public boolean reportsCost() {
    return true;
  }

  @Override
  public Agent session(Setup setup) {
    return new Agent(
        name(),
        ScoutMain.command(setup.excluded()),
        Agent.Variables.NONE,
        (item, request, codebase) -> input(item, request),
        _ -> new Command.Reader(),
        Set.of(),
        null,
        null);
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    return Optional.empty();
  }

  private static String input(ItemKey item, SessionRequest request) {
    Snapshot snapshot = request.snapshot();
    return new ScoutInput(
            item.toString(),
            snapshot.title(),
            snapshot.text(),
            snapshot.tags(),
            request.verdict().modules())
        .written();
  }
}
