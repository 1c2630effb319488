package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs any program of the operator. Its working directory is the repository, and the prompt comes
 * on standard input.
 */
public final class CommandAdapter implements AgentAdapter {
  private final String program;

  public CommandAdapter(String program) {
    this.program = program;
  }

  @Override
  public String label() {
    return "command";
  }

  @Override
  public List<String> command(String session) {
    return List.of(program);
  }

  @Override
  public String prompt(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    return DeepPrompt.of(item, request, codebase.get()).text();
  }

  @Override
  public List<String> env() {
    return List.of();
  }

  @Override
  public boolean identifiedAtSpawn() {
    return true;
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
