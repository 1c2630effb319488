package dev.flyball.runner.agent;

import dev.flyball.runner.agent.AgentReader.Reported;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what a session has used, and knows whether that is all of it. Totals only grow, because a
 * program that is cut off prints zeros at its end.
 */
final class UsageTotals {
  /** Lines of one message follow each other closely; older ids need not be known any more. */
  private static final int KNOWN_MESSAGES = 1000;

  private final Map<String, Usage> messages =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Usage> eldest) {
          return size() > KNOWN_MESSAGES;
        }
      };
  private final @Nullable TokenPrices prices;
  private Usage total = Usage.NONE;
  private boolean asked;
  private boolean owed;
  private boolean settled;

  /**
   * Begins with nothing.
   *
   * @param prices what tokens cost whose cost the agent does not report
   */
  UsageTotals(@Nullable TokenPrices prices) {
    this.prices = prices;
  }

  /** A request may have been sent: what it costs is not known before it is reported. */
  void asked() {
    asked = true;
    settled = false;
  }

  /** The model has answered something. */
  void worked() {
    asked();
    owed = true;
  }

  /** The agent reports all that it has used; zeros for a model that has answered are no report. */
  void settled(Usage reported) {
    asked = true;
    owed &= reported.tokens() == 0 && reported.costMicros() == 0;
    settled = !owed;
  }

  /**
   * How far the agent has reported what it used.
   *
   * @param rejected whether its last request was rejected
   */
  Reported reported(boolean rejected) {
    if (!asked) {
      return Reported.NO_TURN;
    }
    return owed || !(settled || rejected) ? Reported.IN_PART : Reported.ALL;
  }

  /**
   * Adds what one message used. The same message may be reported several times, and is added once.
   */
  Usage message(String longId, Usage used) {
    String id = AgentLine.of(longId);
    Usage before = messages.getOrDefault(id, Usage.NONE);
    Usage now = most(before, used);
    messages.put(id, now);
    total =
        new Usage(
            total.inputTokens() + now.inputTokens() - before.inputTokens(),
            total.outputTokens() + now.outputTokens() - before.outputTokens(),
            total.cachedTokens() + now.cachedTokens() - before.cachedTokens(),
            total.costMicros());
    return priced();
  }

  /** Adds what one more turn used. */
  Usage add(Usage used) {
    total =
        new Usage(
            total.inputTokens() + used.inputTokens(),
            total.outputTokens() + used.outputTokens(),
            total.cachedTokens() + used.cachedTokens(),
            total.costMicros() + used.costMicros());
    return priced();
  }

  /** Raises the total to what the whole session used, as the agent reports it. */
  Usage atLeast(Usage used) {
    total = most(total, used);
    return priced();
  }

  /** A cost that the agent reports after all is its own, and stays. */
  private Usage priced() {
    return prices == null || total.costMicros() > 0 ? total : prices.applied(total);
  }

  private static Usage most(Usage one, Usage other) {
    return new Usage(
        Math.max(one.inputTokens(), other.inputTokens()),
        Math.max(one.outputTokens(), other.outputTokens()),
        Math.max(one.cachedTokens(), other.cachedTokens()),
        Math.max(one.costMicros(), other.costMicros()));
  }
}
