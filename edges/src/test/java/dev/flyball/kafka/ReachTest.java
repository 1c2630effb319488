package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReachTest {
  @Test
  void anUnreachableBrokerIsOneLineWithTheFixWithinTheLimit() throws IOException {
    String nobody;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "127.0.0.1:" + socket.getLocalPort();
    }
    var clients = new KafkaClients(KafkaSettings.of(nobody), "test");
    long before = System.nanoTime();
    assertThatThrownBy(() -> clients.reach(Duration.ofSeconds(1)))
        .isInstanceOf(BrokerUnreachable.class)
        .hasMessageContaining("no Kafka broker answers at " + nobody + " within 1.0 s")
        .hasMessageContaining("--bootstrap-servers")
        .hasMessageNotContaining("\n");
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void anAddressThatIsNoneIsOneLineToo() {
    var clients = new KafkaClients(KafkaSettings.of("no-port-here"), "test");
    assertThatThrownBy(() -> clients.reach(Duration.ofSeconds(1)))
        .isInstanceOf(BrokerUnreachable.class)
        .hasMessageContaining("no-port-here")
        .hasMessageContaining("bootstrap.servers");
  }
}
