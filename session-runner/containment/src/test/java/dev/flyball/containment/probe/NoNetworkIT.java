package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@DisplayName("sessions.network: agents without a network")
class NoNetworkIT {
  /** Connects to the port that it reads from standard input. */
  private static final List<String> CLIENT =
      List.of(
          "perl",
          "-MIO::Socket::INET",
          "-e",
          "chomp(my $port = <STDIN>);"
              + " print IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port)"
              + " ? 'reached' : 'nothing there'");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(AgentNetwork.class)
  void listenersOfTheMachineAreReachedOnlyWithItsNetwork(AgentNetwork network) throws Exception {
    Containment containment =
        ContainmentProbe.strongest(settings(network), Level.A, Level.A).containment();

    assertThat(containment.networked()).isEqualTo(network == AgentNetwork.HOST);
    assertThat(output(containment))
        .isEqualTo(network == AgentNetwork.HOST ? "reached" : "nothing there");
  }

  @Test
  void levelBIsRejectedWhereNoNetworkIsRequiredAndUsedWhereItIsPreferred() throws Exception {
    assertThatThrownBy(() -> probeB(AgentNetwork.NONE))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("sessions.network");

    assertThat(probeB(AgentNetwork.NONE_WHERE_POSSIBLE).networked()).isTrue();
  }

  private Containment probeB(AgentNetwork network) throws IOException {
    return ContainmentProbe.strongest(settings(network), Level.B, Level.B).containment();
  }

  private ContainmentSettings settings(AgentNetwork network) {
    return ContainmentSettings.in(folder).withNetwork(network);
  }

  private static String output(Containment containment) throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var launch =
          new Launch(
              UUID.randomUUID().toString(),
              CLIENT,
              Map.of("PATH", "/usr/bin:/bin"),
              Path.of("/"),
              server.getLocalPort() + "\n");
      ContainedProcess process = containment.start(launch, Duration.ofSeconds(30));
      String output = new String(process.out().readAllBytes(), StandardCharsets.UTF_8);
      process.kill(KillLadder.now(Duration.ofSeconds(10)));
      return output;
    }
  }
}
