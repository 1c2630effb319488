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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One broker on one folder; issue 2, deliver 3. */
class EmbeddedBrokerIT {
  @TempDir Path dir;

  @Test
  @DisplayName(
      "records outlive stops and starts, a second start on the folder, and a clock days ahead")
  void keepsItsRecords() throws Exception {
    var broker = EmbeddedBroker.start(BrokerConfig.in(dir));
    Numbers.createTopic(broker.clientProperties());
    Numbers.produce(broker.clientProperties(), 0, 10);
    assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(dir)))
        .isInstanceOf(BrokerStartFailed.class)
        .hasMessageContainingAll(dir.toString(), "--data");
    assertThat(broker.fault()).isEmpty();
    long before = System.nanoTime();
    broker.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
    broker.close();

    try (var second = EmbeddedBroker.start(BrokerConfig.in(dir));
        var producer = Numbers.producer(second.clientProperties())) {
      long ahead = System.currentTimeMillis() + Duration.ofDays(2).toMillis();
      producer.send(new ProducerRecord<>(Numbers.TOPIC, null, ahead, 10L, 10L)).get();
    }
    try (var third = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThat(Numbers.readAll(third.clientProperties()))
          .containsExactlyElementsOf(LongStream.rangeClosed(0, 10).boxed().toList());
    }
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
