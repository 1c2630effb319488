package dev.flyball.program.roles;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.tracker.SourceConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs {@code producer --once}: polls every source now, whatever its interval. */
public final class PollOnce {
  /** Most unreadable lines that are named; the others are counted. */
  public static final int SHOWN = 5;

  /** The longest pause of a tracker that is waited for; a longer one is for a later call. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private PollOnce() {}

  /**
   * Polls and prints one line for each source. After a signal it sends no further request; what was
   * read before is published and printed.
   */
  public static Exit poll(Terminal terminal, Configuration configuration, boolean json) {
    var configurations = new AppConfigurations(KafkaFinder.forRole(configuration));
    List<SourceConfig> sources = configurations.producer().sources();
    var _ = configurations.kafka(Role.PRODUCER.label());
    try (ProcessScope scope = ProcessScope.of(configuration, Role.PRODUCER)) {
      Signals signals = scope.signals();
      var apps = new AppFactory(configurations, new Telemetry());
      // In this order: on a service's read-only listener, missing topics are not the cause.
      apps.requireWrite(Role.PRODUCER);
      apps.provision(Role.PRODUCER.label());
      Exit worst = Exit.DONE;
      try (ProducerApp producer = apps.producerOnDemand(sources)) {
        producer.start();
        var _ = signals.first().thenRun(producer::cease);
        for (SourceConfig source : sources) {
          if (signals.came()) {
            return Exit.INTERRUPTED;
          }
          Exit one = show(terminal, polled(producer, source.key(), signals), json);
          worst = one.code() == Exit.FAILED.code() || worst == Exit.DONE ? one : worst;
        }
      }
      return signals.came() ? Exit.INTERRUPTED : worst;
    }
  }

  /**
   * Polls, and again after each short pause that the tracker asks for, as long as a poll reads
   * something. After two pauses in a row that brought nothing it gives up: the wall clock may see a
   * rest of the first one, for which a poll is skipped.
   */
  private static PollReport polled(ProducerApp producer, String source, Signals signals) {
    PollReport last = producer.pollNow(source);
    PollReport.Finished parts = null;
    int idle = 0;
    while (last instanceof PollReport.Finished done ? done.more() : idle < 2) {
      Optional<Duration> pause = producer.pause(source);
      if (pause.isEmpty() || pause.get().compareTo(PATIENCE) > 0 || signals.within(pause.get())) {
        break;
      }
      if (whole(parts, last) instanceof PollReport.Finished read) {
        parts = read;
      }
      idle = last instanceof PollReport.Finished ? 0 : idle + 1;
      last = producer.pollNow(source);
    }
    return whole(parts, last);
  }

  private static PollReport whole(PollReport.@Nullable Finished parts, PollReport last) {
    return parts == null ? last : parts.and(last);
  }

  private static Exit show(Terminal terminal, PollReport report, boolean json) {
    return switch (report) {
      case PollReport.Finished done -> {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("source", done.source());
        line.put("polled", done.items());
        line.put("changed", done.changed());
        line.put("duplicates", done.duplicates());
        line.put("invalid", done.invalid().size());
        terminal.out().println(json ? RecordJson.write(line) : tsv(line));
        done.complaints(SHOWN).forEach(terminal::note);
        if (done.more()) {
          terminal.note(
              done.source()
                  + " was read in part, for its tracker asks for a pause; run it again later,"
                  + " it goes on from there");
        }
        yield done.invalid().isEmpty() && !done.more() ? Exit.DONE : Exit.DEGRADED;
      }
      case PollReport.Skipped skipped -> {
        terminal.note(
            skipped.source()
                + (skipped.whyNot().elsewhere() ? " skipped: " : " not polled: ")
                + skipped.whyNot().reason());
        yield skipped.whyNot().elsewhere() ? Exit.DONE : Exit.FAILED;
      }
      case PollReport.Failed failed -> {
        terminal.note(failed.source() + ": " + failed.reason());
        yield Exit.FAILED;
      }
    };
  }

  private static String tsv(Map<String, Object> line) {
    return String.join(
        "\t", line.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue()).toList());
  }
}
