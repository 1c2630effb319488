package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("An entry and a turn cost the same with 100 and with 10,000 leases")
class CostOfAnEntryTest {
  private static final int ENTRIES = 500;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Tag("long")
  @Test
  @DisplayName("by the memory that they allocate, which counts copies and not time")
  void anEntryCopiesNoLeases() {
    bytesOfAnEntry(100, 100);
    long few = bytesOfAnEntry(100, 100);
    long many = bytesOfAnEntry(10_000, 10_000);

    // The tries of the state are a level deeper, no more.
    assertThat(many).isLessThan(2 * few);
  }

  @Test
  @Tag("long")
  @DisplayName("while a provider comes back, no search for a claim copies the leases")
  void aReturningProviderCopiesNoLeases() {
    bytesOfASearch(100);
    long few = bytesOfASearch(100);
    long many = bytesOfASearch(10_000);

    assertThat(many).isLessThan(few + 10_000);
  }

  private static long bytesOfASearch(int leases) {
    var runner = new OneRunner(leases + 10);
    runner.startFrom(with(leases, 0));
    Instant reset = Instant.EPOCH.plusSeconds(60);
    long seen = runner.participant().ledger().lastOperator("provider:one");
    runner.read(new LedgerEntry.Pause("provider:one", reset, seen, "me", "its limit"));
    LedgerState ledger = runner.participant().ledger();
    assertThat(ledger.lastPause("provider:one")).isPresent();
    long thread = Thread.currentThread().threadId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    for (int n = 0; n < ENTRIES; n++) {
      assertThat(ProviderReturn.waits(ledger, "one", reset.plusSeconds(1))).isFalse();
    }
    return (THREADS.getThreadAllocatedBytes(thread) - before) / ENTRIES;
  }

  private static long bytesOfAnEntry(int leases, int unsettled) {
    var runner = new OneRunner(leases + 10);
    runner.startFrom(with(leases, unsettled));
    runner.caughtUp();
    runner.read(runner.self());
    runner.passAndTick(Duration.ofMillis(1));
    runner.taken();
    long thread = Thread.currentThread().threadId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    for (int n = 0; n < ENTRIES; n++) {
      runner.read(othersRenewal(n, "s" + n % 50));
      runner.passAndTick(Duration.ZERO);
      assertThat(runner.participant().nextTick()).isGreaterThan(runner.now());
    }
    return (THREADS.getThreadAllocatedBytes(thread) - before) / ENTRIES;
  }

  private static LedgerState with(int leases, int unsettled) {
    OneRunner before = OneRunner.ready(leases + unsettled + 1);
    for (int n = 0; n < leases + unsettled; n++) {
      before.read(othersClaim("s" + n, "r" + n, ItemKey.parse("acme/web/" + n)));
    }
    for (int n = leases; n < leases + unsettled; n++) {
      before.read(releaseOf("s" + n));
    }
    return before.participant().ledger();
  }
}
