package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Puts the records of session-requests onto the board. A batch is kept until all of it is on the
 * board: after a skipped record this runner would report more as read than it has. Owned by the
 * ledger's thread; any thread may call {@link #lost()}.
 */
final class RequestIntake {
  /** Not all waiting batches: a flood of requests must not keep this thread from its renewals. */
  private static final int BATCHES = 4;

  /**
   * The ledger is read shortly before the requests, so a difference is a loss only if it lasts
   * longer than this.
   */
  private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

  private final Supplier<RequestFeed.@Nullable Batch> feed;
  private final RequestBoard board;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> deadLetters;
  private RequestFeed.@Nullable Batch batch;
  private int done;
  private boolean caughtUp;
  private long nextCheck = Long.MIN_VALUE;
  private List<LostTail> missed = List.of();

  // Written by the ledger's thread, read by health.
  private volatile List<String> lost = List.of();

  RequestIntake(
      Supplier<RequestFeed.@Nullable Batch> feed,
      RequestBoard board,
      BiConsumer<ConsumerRecord<String, byte[]>, String> deadLetters) {
    this.feed = feed;
    this.board = board;
    this.deadLetters = deadLetters;
  }

  /** Takes the batches that are ready, at most four. */
  void take() {
    for (int i = 0; i < BATCHES; i++) {
      if (batch == null) {
        batch = feed.get();
        done = 0;
      }
      if (batch == null) {
        return;
      }
      if (done == 0) {
        batch.lost().forEach(board::lost);
      }
      for (; done < batch.records().size(); done++) {
        put(batch.records().get(done));
      }
      board.readTo(batch.readTo());
      caughtUp |= batch.caughtUp();
      batch = null;
    }
  }

  /** Whether every request that existed at the start is on the board. */
  boolean caughtUp() {
    return caughtUp;
  }

  /** Compares the ends of the partitions with the ledger, every 5 s. */
  void check(LedgerState ledger, Map<Integer, Long> readTo, long nowNanos) {
    if (!caughtUp || nowNanos < nextCheck) {
      return;
    }
    nextCheck = nowNanos + CHECK_EVERY.toNanos();
    List<LostTail> now = LostTail.find(ledger, readTo);
    lost = now.stream().filter(missed::contains).map(RequestIntake::text).toList();
    missed = now;
  }

  /** Partitions that ended too early in two checks in a row, a line each. */
  List<String> lost() {
    return lost;
  }

  private static String text(LostTail lost) {
    return lost.text() + "; pause all, and start again with a new topics.prefix";
  }

  private void put(ConsumerRecord<String, byte[]> consumed) {
    try {
      board.read(consumed);
    } catch (RuntimeException | StackOverflowError e) {
      // Whatever failure a record causes, it would cause it again at every start.
      deadLetters.accept(consumed, String.valueOf(e.getMessage()));
    }
  }
}
