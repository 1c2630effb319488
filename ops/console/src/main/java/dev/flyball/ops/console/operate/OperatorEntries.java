package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.PoolTenant;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Appends one operator entry and reports whether it took effect. Every runner folds the same log,
 * so an entry that took effect here takes effect in every runner as soon as that runner reads it.
 * Used by one thread.
 */
public final class OperatorEntries {
  private static final Duration POLL = Duration.ofMillis(200);

  /** After this long without a record the ledger counts as not answering. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final KafkaClients clients;
  private final Duration patience;

  /** Uses the ledger of these clients. */
  public OperatorEntries(KafkaClients clients) {
    this(clients, PATIENCE);
  }

  OperatorEntries(KafkaClients clients, Duration patience) {
    this.clients = clients;
    this.patience = patience;
  }

  /** The result of an entry; the state is the ledger's right after it. */
  public sealed interface Answer {
    /** The ledger's state. */
    LedgerState state();

    /** It took effect. */
    record Effective(LedgerState state) implements Answer {}

    /**
     * Another entry of the scope came first, or there was nothing to change: nothing was changed.
     */
    record WithoutEffect(LedgerState state) implements Answer {}
  }

  /**
   * The ledger's current state.
   *
   * @throws BrokerUnreachable if no broker answers
   */
  public LedgerState state() {
    try (LedgerReader reader = LedgerReader.open(clients)) {
      return readTo(reader, reader.start(), -1);
    }
  }

  /**
   * Makes a change of a scope's limits, unless there is nothing to change; fails as below, and if
   * the scope is a tenant that triage-stream has not opened in this pool: the entry would open it.
   *
   * @param who makes it
   * @param why the reason for the record
   */
  public Answer change(ScopeChange change, String who, String why) {
    return append(
        change.scope(),
        state -> {
          requireOpen(change, state);
          return change.needed(state)
              ? Optional.of(change.entry(state, who, why))
              : Optional.empty();
        });
  }

  private void requireOpen(ScopeChange change, LedgerState state) {
    String pool = clients.topics().pool();
    String prefix = Scope.tenant("");
    if (change.scope().startsWith(prefix)
        && !new PoolTenant(pool, change.scope().substring(prefix.length())).openIn(state)) {
      throw new StartFailure(
          change.scope()
              + " is not open in pool "
              + pool
              + " yet; start triage-stream with these pools, and repeat it then");
    }
  }

  /**
   * Changes something of a scope.
   *
   * @param entry makes the entry, given the state that it changes
   * @throws BrokerUnreachable if no broker answers
   * @throws dev.flyball.kafka.WriteDenied if Kafka permits us only to read
   * @throws NoAnswer if the broker stopped answering: only the ledger shows whether it took effect
   */
  public Answer change(String scope, Function<LedgerState, LedgerEntry> entry) {
    return append(scope, state -> Optional.of(entry.apply(state)));
  }

  private Answer append(String scope, Function<LedgerState, Optional<LedgerEntry>> entry) {
    // Without it the check of the rights waits a minute for a broker that is away.
    clients.reach(patience);
    clients.requireWrite(clients.topics().sessionLedger());
    try (LedgerReader reader = LedgerReader.open(clients);
        LedgerWriter writer = LedgerWriter.open(clients, LedgerWriter.DEFAULT_DELIVERY_TIMEOUT)) {
      LedgerState before = readTo(reader, reader.start(), -1);
      Optional<LedgerEntry> made = entry.apply(before);
      if (made.isEmpty()) {
        return new Answer.WithoutEffect(before);
      }
      long offset = append(writer, made.get());
      LedgerState after = readTo(reader, before, offset);
      return after.lastOperator(scope) == offset
          ? new Answer.Effective(after)
          : new Answer.WithoutEffect(after);
    }
  }

  private long append(LedgerWriter writer, LedgerEntry entry) {
    var acknowledged = new CompletableFuture<Long>();
    writer.append(
        LedgerWriter.NO_ITEM,
        entry,
        (metadata, failure) -> {
          if (failure == null) {
            acknowledged.complete(metadata.offset());
          } else {
            acknowledged.completeExceptionally(failure);
          }
        });
    writer.flush();
    try {
      return acknowledged.get();
    } catch (ExecutionException e) {
      throw new NoAnswer(
          e, e.getCause() == null || !ReplaceableProducer.refusesRecord(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NoAnswer(e, true);
    }
  }

  /**
   * Folds up to the reader's end, and at least to this offset; stops right after it.
   *
   * @throws StartFailure if the ledger has rules that this program does not know
   * @throws NoAnswer if no further record comes
   */
  private LedgerState readTo(LedgerReader reader, LedgerState from, long offset) {
    LedgerState state = known(from);
    long moved = System.nanoTime();
    while (!reader.caughtUp() || state.offset() < offset) {
      List<LedgerRecord> records = reader.poll(POLL);
      for (LedgerRecord record : records) {
        if (offset < 0 || state.offset() < offset) {
          state = known(fold(state, record));
        }
      }
      if (!records.isEmpty()) {
        moved = System.nanoTime();
      } else if (System.nanoTime() - moved > patience.toNanos()) {
        throw new NoAnswer(patience, offset >= 0);
      }
    }
    return state;
  }

  /**
   * The state if its rules are known. A fold stops at unknown rules: entries after them are never
   * reached.
   */
  private static LedgerState known(LedgerState state) {
    state
        .unknownRules()
        .ifPresent(rules -> {
          throw new StartFailure(
              "the ledger has rules "
                  + state.rules()
                  + " and this program knows "
                  + LedgerState.RULES
                  + "; upgrade it");
        });
    return state;
  }

  private static LedgerState fold(LedgerState state, LedgerRecord record) {
    LedgerEntry entry = record.entry();
    return entry == null
        ? state.skip(record.offset())
        : state.fold(entry, record.offset(), record.appendTime()).state();
  }
}
