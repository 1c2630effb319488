package dev.flyball.runner.ledger;

import dev.flyball.kafka.LedgerCut;
import dev.flyball.runner.protocol.Step;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts the ledger on a new thread each time, one cut at a time, because the ledger's thread may not
 * wait.
 */
final class LedgerCutter implements Consumer<Step.Cut> {
  private static final Logger log = LoggerFactory.getLogger(LedgerCutter.class);

  private final LedgerCut ledger;
  private final AtomicBoolean cutting = new AtomicBoolean();

  LedgerCutter(LedgerCut ledger) {
    this.ledger = ledger;
  }

  @Override
  public void accept(Step.Cut step) {
    if (cutting.compareAndSet(false, true)) {
      Thread.ofVirtual().name("flyball-ledger-cut").start(() -> cut(step));
    }
  }

  private void cut(Step.Cut step) {
    try {
      OptionalLong begin = ledger.cut(step.below(), step.now());
      begin.ifPresent(offset -> log.info("ledger cut: firstOffset={}", offset));
    } catch (RuntimeException e) {
      log.warn("ledger not cut, tried again in an hour: reason={}", e.getMessage());
    } finally {
      cutting.set(false);
    }
  }
}
