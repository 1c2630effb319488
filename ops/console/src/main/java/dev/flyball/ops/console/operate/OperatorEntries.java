package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerReader.LedgerRecord;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Appends one operator entry and reports whether it took effect. Every runner folds the same log,
 * so an entry that took effect here takes effect in every runner as soon as that runner reads it.
 * Used by one thread.
 */
public final class OperatorEntries {
  private static final Duration POLL = Duration.ofMillis(200);

  /** After this long without a record the ledger counts as not answering. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String CHECK = "check the value in force: flyball cap, flyball budget";
  private static final String UNACKNOWLEDGED =
      "the ledger did not acknowledge the change; before you repeat it, " + CHECK + "; cause: ";

  private final KafkaClients clients;
  private final Duration patience;

  /** Uses the ledger of these clients. */
  public OperatorEntries(KafkaClients clients) {
    this(clients, PATIENCE);
  }

  /** Waits this long for Kafka. */
  public OperatorEntries(KafkaClients clients, Duration patience) {
    this.clients = clients;
    this.patience = patience;
  }

  /**
   * The result of a change.
   *
   * @param state the ledger's right after it
   * @param outcome done, or why nothing was changed
   */
  public record Changed(LedgerState state, Outcome outcome) {}

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
   * @throws BrokerUnreachable if no broker answers
   * @throws dev.flyball.kafka.KafkaFailure if Kafka permits us only to read
   * @throws StartFailure if it was not written
   * @throws NoAnswer if only the ledger shows whether it took effect
   */
  public Changed change(ScopeChange change, By by) {
    // Without it the check of the rights waits a minute for a broker that is away.
    clients.reach(patience);
    clients.requireWrite(clients.topics().sessionLedger());
    String scope = change.scope();
    try (LedgerReader reader = LedgerReader.open(clients);
        LedgerWriter writer = LedgerWriter.open(clients, LedgerWriter.DEFAULT_DELIVERY_TIMEOUT)) {
      LedgerState before = readTo(reader, reader.start(), -1);
      Optional<String> nothing = change.unneeded().apply(before);
      if (nothing.isPresent()) {
        return new Changed(before, Outcome.of(scope, Effect.UNCHANGED, nothing.get()));
      }
      long offset = append(writer, change.entry(before, by));
      LedgerState after = readTo(reader, before, offset);
      String other = "another change of " + scope + " came first; check it and repeat yours";
      return new Changed(
          after,
          after.lastOperator(scope) == offset
              ? Outcome.of(scope, Effect.DONE, by.why())
              : Outcome.of(scope, Effect.UNCHANGED, other));
    }
  }

  private long append(LedgerWriter writer, LedgerEntry entry) {
    try {
      return writer.append(entry).get().offset();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String line = UNACKNOWLEDGED + cause.getMessage();
      throw ReplaceableProducer.refusesRecord(cause)
          ? new StartFailure(line, cause)
          : new NoAnswer(line, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NoAnswer(UNACKNOWLEDGED + "interrupted", e);
    }
  }

  /**
   * Folds up to the reader's end, and at least to this offset; stops right after it.
   *
   * @throws StartFailure if the ledger has rules that this program does not know, or if no further
   *     record comes and none was written
   * @throws NoAnswer if no further record comes after one was written
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
        throw silent(offset >= 0);
      }
    }
    return state;
  }

  /** The state if its rules are known: a fold stops at unknown ones. */
  private static LedgerState known(LedgerState state) {
    if (state.unknownRules().isEmpty()) {
      return state;
    }
    String rules = state.rules() + " and this program knows " + LedgerState.RULES;
    throw new StartFailure("the ledger has rules " + rules + "; upgrade it");
  }

  private RuntimeException silent(boolean written) {
    String line = "the ledger cannot be read: no record for " + patience.toSeconds() + " s; ";
    return written
        ? new NoAnswer(line + "the change was written, " + CHECK, null)
        : new StartFailure(line + "nothing was changed, check the broker");
  }

  /** The ledger does not answer, and the change may be in it: a repeat could make it twice. */
  public static final class NoAnswer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private NoAnswer(String line, @Nullable Throwable cause) {
      super(line, cause);
    }
  }
}
