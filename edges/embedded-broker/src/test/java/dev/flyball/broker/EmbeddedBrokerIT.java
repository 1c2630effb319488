package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Exit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One broker on one folder; issue 2, deliver 3. */
class EmbeddedBrokerIT {
  @TempDir Path dir;

  @Test
  void keepsItsRecordsOverStopsAndStarts() {
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      Numbers.createTopic(broker.clientProperties());
      Numbers.produce(broker.clientProperties(), 0, 10);
    }
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      Numbers.produce(broker.clientProperties(), 10, 20);
    }
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThat(Numbers.readAll(broker.clientProperties()))
          .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
    }
  }

  @Test
  void recordsOfAMachineWhoseClockIsDaysAheadAreTaken() throws Exception {
    long ahead = System.currentTimeMillis() + Duration.ofDays(2).toMillis();
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      Numbers.createTopic(broker.clientProperties());
      try (var producer = Numbers.producer(broker.clientProperties())) {
        producer.send(new ProducerRecord<>(Numbers.TOPIC, null, ahead, 1L, 1L)).get();
      }
      assertThat(Numbers.readAll(broker.clientProperties())).containsExactly(1L);
    }
  }

  @Test
  void stopsInAboutASecondAndTwiceIsOnce() {
    var broker = EmbeddedBroker.start(BrokerConfig.in(dir));
    long before = System.nanoTime();
    broker.close();
    Duration took = Duration.ofNanos(System.nanoTime() - before);
    broker.close();
    System.out.println("clean stop took " + took.toMillis() + " ms");
    assertThat(took).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void namesATakenPort() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var config = BrokerConfig.in(dir).at(BrokerConfig.LOOPBACK, taken.getLocalPort());
      assertThatThrownBy(() -> EmbeddedBroker.start(config))
          .isInstanceOf(BrokerStartFailed.class)
          .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
          .hasMessageContaining("broker.listen")
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void namesAnAddressThatIsNoneOfThisMachine() {
    // Of TEST-NET-1 (RFC 5737): no machine has it.
    var config = BrokerConfig.in(dir).at("192.0.2.1", 0);
    assertThatThrownBy(() -> EmbeddedBroker.start(config))
        .isInstanceOf(BrokerStartFailed.class)
        .hasMessageContainingAll("192.0.2.1", "broker.listen")
        .hasMessageNotContaining("\n");
  }

  @Tag("long")
  @Test
  void takesOtherPortsWhenOneIsTakenWhileKafkaStarts() throws IOException {
    Ports free = Ports.claim(BrokerConfig.LOOPBACK, 0);
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var claims =
          List.of(
                  new Ports(free.broker(), free.owner(), taken.getLocalPort()),
                  new Ports(free.broker(), taken.getLocalPort(), free.controller()),
                  free)
              .iterator();
      try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir), claims::next)) {
        assertThat(broker.controllerPort()).isEqualTo(free.controller());
        assertThat(broker.fault()).isEmpty();
      }
    }
  }

  @Tag("long")
  @Test
  void endsWithTheCauseWhenAPortIsTakenEveryTime() throws IOException {
    Ports free = Ports.claim(BrokerConfig.LOOPBACK, 0);
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var ports = new Ports(taken.getLocalPort(), free.owner(), free.controller());
      assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(dir), () -> ports))
          .isInstanceOf(BrokerStartFailed.class)
          .hasRootCauseInstanceOf(BindException.class)
          .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void picksNoPortThatTheKernelGivesToClients() {
    for (int i = 0; i < 50; i++) {
      Ports ports = Ports.claim(BrokerConfig.LOOPBACK, 0);
      assertThat(List.of(ports.broker(), ports.owner(), ports.controller()))
          .allMatch(port -> port < Ports.KERNELS || Ports.KERNELS <= Ports.FIRST);
    }
  }

  @Test
  void refusesASecondStartOnOneFolder() {
    try (var first = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(dir)))
          .isInstanceOf(BrokerStartFailed.class)
          .hasMessageContainingAll(dir.toString(), "--data");
      assertThat(first.fault()).isEmpty();
    }
  }

  @Test
  void namesAFolderThatCannotBeWritten() throws IOException {
    Path file = Files.createFile(dir.resolve("a-file"));
    assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(file.resolve("data"))))
        .isInstanceOf(BrokerStartFailed.class)
        .hasMessageContainingAll(file.toString(), "--data");
  }

  @Test
  void aFatalFaultIsReportedAndDoesNotEndTheJvm() {
    List<String> faults = new CopyOnWriteArrayList<>();
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir).reportingFaultsTo(faults::add))) {
      Exit.halt(1, "all log dirs have failed");
      assertThat(faults)
          .singleElement()
          .asString()
          .contains("all log dirs have failed")
          .contains("EmbeddedBrokerIT");
      assertThat(broker.fault()).isPresent();
      Awaitility.await("the port is free again")
          .untilAsserted(() -> Ports.claim(BrokerConfig.LOOPBACK, broker.port()));
    }
  }
}
