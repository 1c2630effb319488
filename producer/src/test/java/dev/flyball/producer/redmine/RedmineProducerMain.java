package dev.flyball.producer.redmine;

import dev.flyball.producer.ProducerProcess;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * One producer of one Redmine, with all clocks scaled, until standard input ends. Arguments: {@code
 * bootstrap prefix data url project token}.
 */
final class RedmineProducerMain {
  /** The default clocks, 36 times as fast. */
  static final PollClocks CLOCKS =
      new PollClocks(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofMillis(2_500));

  private static final SourceRules RULES =
      new SourceRules(
          List.of(), Set.of(), false, null, Duration.ofSeconds(2), new WriteBack.Off(), OptIn.ALL);

  static final String TENANT = "acme";
  static final String SOURCE = "tracker";

  private RedmineProducerMain() {}

  public static void main(String[] args) throws IOException {
    var identity = new SourceConfig.Identity(TENANT, SOURCE, Duration.ofSeconds(1));
    var source =
        new SourceConfig.Redmine(
            identity,
            RULES,
            URI.create(args[3]),
            args[4],
            "",
            new Credential.InFile(Path.of(args[5])));
    ProducerProcess.live(args, source, CLOCKS);
  }
}
