package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
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
import org.jspecify.annotations.Nullable;

/**
 * Appends one operator entry and reports whether it took effect. Every runner folds the same log,
 * so an entry that took effect here takes effect in every runner as soon as that runner reads it.
 * Used by one thread.
 */
public final class OperatorEntries {
  private static final Duration POLL = Duration.ofMillis(200);

  /** After this long without a record the ledger counts as not answering. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

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

  /**
   * The result of an entry.
   *
   * @param state the ledger's right after it
   * @param unchanged why nothing was changed, for a person; null if it took effect
   */
  public record Answer(LedgerState state, @Nullable String unchanged) {}

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
   * Makes a change of a scope's limits. It has no effect if there is nothing to change.
   *
   * @param who makes it
   * @param why the reason for the record
   * @throws BrokerUnreachable if no broker answers
   * @throws dev.flyball.kafka.KafkaFailure if Kafka permits us only to read
   * @throws NoAnswer if the broker stopped answering: only the ledger shows whether it took effect
   */
  public Answer change(ScopeChange change, String who, String why) {
    return append(change.scope(), change::unneeded, state -> change.entry(state, who, why));
  }

  Answer append(
      String scope,
      Function<LedgerState, Optional<String>> unneeded,
      Function<LedgerState, LedgerEntry> entry) {
    // Without it the check of the rights waits a minute for a broker that is away.
    clients.reach(patience);
    clients.requireWrite(clients.topics().sessionLedger());
    try (LedgerReader reader = LedgerReader.open(clients);
        LedgerWriter writer = LedgerWriter.open(clients, LedgerWriter.DEFAULT_DELIVERY_TIMEOUT)) {
      LedgerState before = readTo(reader, reader.start(), -1);
      Optional<String> nothing = unneeded.apply(before);
      if (nothing.isPresent()) {
        return new Answer(before, nothing.get());
      }
      long offset = append(writer, entry.apply(before));
      LedgerState after = readTo(reader, before, offset);
      boolean effective = after.lastOperator(scope) == offset;
      return new Answer(
          after,
          effective
              ? null
              : "another change of " + scope + " came first; check it and repeat yours");
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
          state = known(record.after(state));
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

  /** The ledger does not answer; an entry that was sent may still be in it. */
  public static final class NoAnswer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean written;

    /**
     * The change was not acknowledged.
     *
     * @param written whether it may be in the ledger nevertheless
     */
    NoAnswer(Throwable cause, boolean written) {
      super(
          "the ledger did not acknowledge the change ("
              + (cause.getCause() == null ? cause : cause.getCause()).getMessage()
              + "); check the value in force before you repeat it: flyball cap, flyball budget",
          cause);
      this.written = written;
    }

    /**
     * No record was read for this long.
     *
     * @param sent whether the change was acknowledged before
     */
    NoAnswer(Duration silence, boolean sent) {
      super(
          "the ledger cannot be read: no record for "
              + silence.toSeconds()
              + " s; "
              + (sent
                  ? "the change was written, check the value in force: flyball cap, flyball budget"
                  : "nothing was changed, check the broker"));
      this.written = sent;
    }

    /** Whether the change may be in the ledger, so that a repeat could make it twice. */
    public boolean perhapsWritten() {
      return written;
    }
  }
}
