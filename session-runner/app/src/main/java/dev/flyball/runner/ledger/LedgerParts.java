package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.protocol.LeaseTimes;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The parts that the ledger's thread works with.
 *
 * @param seed the first entry of an empty ledger
 * @param level containment level, for the runner's entries
 * @param reserveMicros what each claim holds back, in micro-dollars
 * @param gate the runner's own gate
 * @param deadLetters takes a request that cannot be read, with the reason
 * @param starter starts a session on a separate thread
 * @param random for delays that keep runners apart
 */
public record LedgerParts(
    KafkaClients clients,
    LeaseTimes times,
    LedgerEntry.Init seed,
    String runner,
    String level,
    int slots,
    long reserveMicros,
    LocalGate gate,
    BiConsumer<ConsumerRecord<String, byte[]>, String> deadLetters,
    BiConsumer<SessionHandle, LedgerLoop> starter,
    RandomGenerator random) {

  Board.RunnerSelf self() {
    return new Board.RunnerSelf(runner, level, slots, reserveMicros);
  }

  RequestBodies bodies(Runnable loaded) {
    return new RequestBodies(clients, loaded);
  }

  Supplier<String> sessionIds() {
    return () -> UUID.randomUUID().toString();
  }
}
