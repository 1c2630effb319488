package dev.flyball.runner.ledger;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The ledger's thread goes on whatever a Kafka client throws at any place")
class LedgerLoopIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private static final LeaseTimes TIMES =
      new LeaseTimes(
          Duration.ofMillis(4500),
          Duration.ofMillis(200),
          Duration.ofSeconds(1),
          LeaseTimes.DEFAULTS.stagger());

  private final FaultyClients faults = new FaultyClients();
  private final Topics topics = KAFKA.topics();

  @AutoClose("stop")
  private LedgerLoop loop;

  @BeforeEach
  void aLoop() {
    loop = loop(new FullRunner());
  }

  private LedgerLoop loop(RunnerCallbacks runner) {
    return new LedgerLoop(
        new KafkaClients(KAFKA.settings(), "runner", faults),
        TIMES,
        new LedgerEntry.Init(2, TIMES.lease().toMillis(), List.of()),
        runner,
        new ElapsedClock());
  }

  /** A runner that starts nothing. */
  private static class FullRunner implements RunnerCallbacks {
    @Override
    public Self self() {
      return new Self("r1", "A", 2, Map.of("default", 0L));
    }

    @Override
    public Gate gate() {
      return held -> Optional.of(new GateRefusal(GateRefusal.Kind.SLOTS, "none free"));
    }

    @Override
    public void begin(Session session) {
      throw new AssertionError(session.id());
    }

    @Override
    public void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason) {
      throw new AssertionError(reason);
    }
  }

  /** A runner that claims, and whose sessions do nothing. */
  private static final class IdleRunner extends FullRunner {
    @Override
    public Gate gate() {
      return held -> Optional.empty();
    }

    @Override
    public void begin(Session session) {}
  }

  static Stream<Named<Supplier<Throwable>>> faults() {
    return Stream.of(
        named("times out", () -> new TimeoutException("no answer")),
        named("is woken up", WakeupException::new),
        named("has a wrong password", () -> new SaslAuthenticationException("wrong password")),
        named("is denied", () -> new TopicAuthorizationException("session-ledger")),
        named("fails", () -> new KafkaException("unexpected")),
        named("finds no thread", () -> new OutOfMemoryError("unable to create native thread")));
  }

  private static Named<Supplier<Throwable>> named(String name, Supplier<Throwable> fault) {
    return Named.of(name, fault);
  }

  @Test
  @DisplayName("while it runs: another fault at each place")
  void whileItRuns() {
    assertGoesOnAfter(faults().map(Named::getPayload).toList());
  }

  @Tag("long")
  @ParameterizedTest(name = "while it runs: a call {0}")
  @MethodSource("faults")
  void whileItRunsAtEveryPlace(Supplier<Throwable> fault) {
    assertGoesOnAfter(List.of(fault));
  }

  private void assertGoesOnAfter(List<Supplier<Throwable>> any) {
    loop.start();
    await().until(() -> loop.view().read());
    fail(
        any,
        "runner-ledger.poll",
        "runner-ledger.send",
        "runner-ledger-id.describeTopics",
        "runner-requests.poll",
        "runner-requests.position");
    await().untilAsserted(() -> assertThat(faults.pending()).isEmpty());
    assertGoesOn();
    assertThat(faults.called())
        .as("the reader's own position is kept from the records")
        .doesNotContain("runner-ledger.position");
  }

  @Test
  @DisplayName("while it opens: each client fails once")
  void whileItOpens() {
    assertOpensAfter(
        "runner-reach.describeCluster",
        "runner-ledger-id.describeTopics",
        "runner-ledger-search.endOffsets",
        "runner-ledger.seek",
        "runner-ledger.partitionsFor",
        "runner-requests.new",
        "runner-requests.endOffsets");
  }

  @Tag("long")
  @Test
  @DisplayName("while it opens: further calls of each client")
  void whileItOpensAtFurtherPlaces() {
    assertOpensAfter(
        "runner-ledger-id.new",
        "runner-ledger-search.new",
        "runner-ledger-search.assign",
        "runner-ledger-search.beginningOffsets",
        "runner-ledger.new",
        "runner-ledger.assign",
        "runner-requests.partitionsFor",
        "runner-requests.assign");
  }

  private void assertOpensAfter(String... places) {
    fail(faults().map(Named::getPayload).toList(), places);
    loop.start();
    await().until(() -> loop.view().read());
    assertThat(faults.pending()).isEmpty();
    await().untilAsserted(() -> assertThat(loop.health()).isEqualTo(Health.healthy()));
    assertGoesOn();
  }

  private void fail(List<Supplier<Throwable>> any, String... places) {
    for (int i = 0; i < places.length; i++) {
      faults.fail(places[i], any.get(i % any.size()).get());
    }
  }

  @Test
  @DisplayName("S2-9: renewals that the broker does not acknowledge are counted")
  void failedRenewalsAreCounted() {
    loop = loop(new IdleRunner());
    loop.start();
    KAFKA.produce(
        topics.sessionRequests(),
        "acme/renewed/1",
        Sample.request("renewed", Instant.now(), Sample.snapshot()));
    await().until(() -> !loop.sessions().isEmpty());
    assertThat(loop.failedRenewals()).isZero();

    await()
        .until(() -> {
          faults.fail("runner-ledger.send", new TimeoutException("no answer"));
          return loop.failedRenewals() > 0;
        });
  }

  /** It reads what another appends, and after that a heartbeat of its own. */
  private void assertGoesOn() {
    RecordMetadata other =
        KAFKA.produce(
            topics.sessionLedger(), "-", new LedgerEntry.Cap(Scope.GLOBAL, 2, -1, "test", "test"));
    await()
        .untilAsserted(
            () -> assertThat(loop.view().ledger().offset()).isGreaterThan(other.offset()));
    assertThat(loop.health().live()).isTrue();
  }
}
