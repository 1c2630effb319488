package dev.flyball.producer.handover;

import dev.flyball.producer.ProducerProcess;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/**
 * One producer of one {@link ScriptedTracker}, until standard input ends; stops in order on TERM.
 * Arguments: {@code bootstrap prefix data url who}.
 */
final class ScriptedProducerMain {
  /**
   * The default clocks, 40 times as fast, except that a request may take 3 s: those of {@link
   * ScriptedSource} have no limit, and on a loaded machine one takes longer than a second. If it
   * began with the last moment of the permission, the next holder polls before it has ended.
   */
  static final PollClocks CLOCKS =
      new PollClocks(Duration.ofMillis(6_500), Duration.ofSeconds(1), Duration.ofSeconds(3));

  private ScriptedProducerMain() {}

  public static void main(String[] args) throws IOException {
    var source =
        new SourceConfig.Redmine(
            new SourceConfig.Identity("acme", "scripted", Duration.ofMillis(100)),
            SourceRules.DEFAULT,
            URI.create(args[3]),
            null,
            "",
            new Credential.None());
    ProducerProcess.live(
        args, source, CLOCKS, (any, clock) -> new ScriptedSource(args[3], args[4]));
  }
}
