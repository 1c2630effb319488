package dev.flyball.bench;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.LedgerWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Appends for the simulated runners, and measures it: the broker's answers and the log's bytes. */
final class AppendLog {
  private final Path folder;

  /** Written by the producers' threads. */
  private final Queue<Double> millis = new ConcurrentLinkedQueue<>();

  private final AtomicLong all = new AtomicLong();
  private final AtomicLong checkpoints = new AtomicLong();
  private final AtomicLong begun = new AtomicLong();

  AppendLog(Path brokersData, String topic) {
    this.folder = brokersData.resolve(topic + "-0");
  }

  void append(LedgerWriter writer, LedgerEntry entry) {
    String key =
        entry instanceof LedgerEntry.Claim claim ? claim.item().toString() : LedgerWriter.NO_ITEM;
    long sent = System.nanoTime();
    writer.append(
        key,
        entry,
        (metadata, failure) -> {
          if (failure != null) {
            return;
          }
          millis.add((System.nanoTime() - sent) / 1e6);
          all.addAndGet(metadata.serializedValueSize());
          if (entry instanceof LedgerEntry.Checkpoint checkpoint) {
            checkpoints.addAndGet(metadata.serializedValueSize());
            if (checkpoint.part() == null || checkpoint.part().number() == 1) {
              begun.incrementAndGet();
            }
          }
        });
  }

  /** Bytes of the ledger's log at the broker, which every reader fetches as they are. */
  long bytes() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void measureAgain() {
    millis.clear();
    all.set(0);
    checkpoints.set(0);
    begun.set(0);
  }

  Figures millis() {
    return Figures.of("ms", List.copyOf(millis));
  }

  long checkpointsBegun() {
    return begun.get();
  }

  /** The share of the entries' bytes that are checkpoints. */
  double checkpointShare() {
    return (double) checkpoints.get() / Math.max(1, all.get());
  }
}
