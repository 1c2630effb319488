package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whoever waits for the console waits for what is there, not for what comes meanwhile. */
class CatchUpIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @BeforeAll
  static void provision() {
    KAFKA.provision();
    KAFKA.produce(KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
  }

  @Test
  void itCatchesUpWhileSessionsKeepWriting(@TempDir Path folder) throws Exception {
    var done = new AtomicBoolean();
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              for (int n = 0; !done.get(); n++) {
                KAFKA.produce(
                    KAFKA.topics().sessionLedger(), "a/b/1", new LedgerEntry.Expire("s" + n, 1));
              }
            });
    try (var app =
        new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), new Telemetry())) {
      app.start();
      for (int n = 0; n < 5; n++) {
        assertThat(app.catchUp(Duration.ofSeconds(30))).isTrue();
      }
    } finally {
      done.set(true);
      writer.join();
    }
  }
}
