package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NotifyCommandsTest {
  @Test
  void aTestMessageGoesToEachTargetAndAFailureIsTheExitCode() {
    try (var good = FaultServer.http();
        var bad = FaultServer.http()) {
      good.otherwise(_ -> FaultReply.status(200, Map.of()));
      bad.otherwise(_ -> FaultReply.status(404, Map.of()));
      String targets =
          "notify=[{name: ops, type: slack, url: '"
              + good.url()
              + "/s', on: [dead, hung]}, {type: teams, url: '"
              + bad.url()
              + "/t', on: [trouble], tenant: acme}]";

      assertThat(flyball("notify", "--set", targets).out().lines())
          .containsExactly(
              "target\ttype\ton\ttenant", "ops\tslack\tdead,hung\t", "teams\tteams\ttrouble\tacme");

      Answer all = flyball("notify", "test", "--set", targets);
      assertThat(all.code()).isEqualTo(1);
      assertThat(all.out())
          .contains("ops\tslack\tsent\t", "teams\tteams\tfailed\t127.0.0.1 answered 404; make");
      assertThat(good.requests().getFirst().body()).contains("Test message");

      assertThat(flyball("notify", "test", "ops", "--set", targets).code()).isZero();
      assertThat(bad.requests()).hasSize(1);
      assertThat(flyball("notify", "test", "none", "--set", targets).err())
          .contains("no target 'none'");
    }
  }
}
