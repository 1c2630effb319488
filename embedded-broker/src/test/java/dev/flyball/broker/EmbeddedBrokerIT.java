package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.kafka.common.utils.Exit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One broker on one folder; issue 2, deliver 3. */
class EmbeddedBrokerIT {
  @TempDir Path dir;

  @Test
  void keepsItsRecordsOverStopsAndStarts() {
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      Numbers.createTopic(broker.bootstrapServers());
      Numbers.produce(broker.bootstrapServers(), 0, 10);
    }
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      Numbers.produce(broker.bootstrapServers(), 10, 20);
    }
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThat(Numbers.readAll(broker.bootstrapServers()))
          .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
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
          .hasMessageContaining("set broker.listen to another port")
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void refusesASecondStartOnOneFolder() {
    try (var first = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(dir)))
          .isInstanceOf(BrokerStartFailed.class)
          .hasMessageContaining(dir.toString())
          .hasMessageContaining("in use by another start");
      assertThat(first.fault()).isEmpty();
    }
  }

  @Test
  void namesAFolderThatCannotBeWritten() throws IOException {
    Path file = Files.createFile(dir.resolve("a-file"));
    assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.in(file.resolve("data"))))
        .isInstanceOf(BrokerStartFailed.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("make it writable");
  }

  @Test
  void aFatalFaultIsToldAndDoesNotEndTheJvm() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir).telling(told::add))) {
      Exit.halt(1, "all log dirs have failed");
      assertThat(told)
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
