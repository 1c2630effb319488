package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.List;

/** Gives the tokens of an agent that reports no cost their configured prices. */
final class PricedReader implements AgentReader {
  private final AgentReader reader;
  private final TokenPrices prices;

  PricedReader(AgentReader reader, TokenPrices prices) {
    this.reader = reader;
    this.prices = prices;
  }

  @Override
  public List<AgentSignal> line(String line) {
    return reader.line(line).stream().map(this::priced).toList();
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    return reader.end(exit, stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return reader.soFar();
  }

  @Override
  public AgentAnswer afterSilence() {
    return reader.afterSilence();
  }

  @Override
  public Reported reported() {
    return reader.reported();
  }

  /** A cost that the agent reports after all is its own, and stays. */
  private AgentSignal priced(AgentSignal signal) {
    return signal instanceof Usage usage && usage.costMicros() == 0
        ? prices.applied(usage)
        : signal;
  }
}
