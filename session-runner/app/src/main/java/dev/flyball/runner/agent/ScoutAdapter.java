package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.scout.ScoutCommand;
import dev.flyball.scout.ScoutInput;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The bundled agent, as a separate process: it must be as killable and as bounded as any other. It
 * reads the work item instead of a prompt, because it ranks words and takes no instructions.
 */
public final class ScoutAdapter implements AgentAdapter {
  private final List<String> command;

  /**
   * Runs on this JVM's Java with the few jars that scout needs.
   *
   * @param excluded folders that it never opens, for example the data folder
   */
  public ScoutAdapter(List<Path> excluded) {
    this.command = ScoutCommand.of(excluded);
  }

  @Override
  public String label() {
    return "scout";
  }

  @Override
  public List<String> command(String session) {
    return command;
  }

  @Override
  public String prompt(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    Snapshot snapshot = request.snapshot();
    return RecordJson.write(
        new ScoutInput(
            item.toString(),
            snapshot.title(),
            snapshot.text(),
            snapshot.type(),
            snapshot.tags(),
            request.verdict().modules()));
  }

  @Override
  public List<String> env() {
    return List.of();
  }

  @Override
  public boolean identifiedAtSpawn() {
    return false;
  }

  @Override
  public boolean endsTurnOnInterrupt() {
    return false;
  }

  @Override
  public boolean paid() {
    return false;
  }

  @Override
  public AgentReader reader() {
    return new CommandReader();
  }
}
