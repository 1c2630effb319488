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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs {@code producer --once}: polls every source now, whatever its interval. */
public final class PollOnce {
  /** Most unreadable lines that are named; the others are counted. */
  public static final int SHOWN = 5;

  private PollOnce() {}

  /** Polls and prints one line for each source. */
  public static Exit poll(Terminal terminal, Configuration configuration, boolean json) {
    var configurations = new AppConfigurations(KafkaFinder.forRole(configuration));
    List<SourceConfig> sources = configurations.producer().sources();
    var _ = configurations.kafka(Role.PRODUCER.label());
    try (ProcessScope _ = ProcessScope.of(configuration, Role.PRODUCER)) {
      var apps = new AppFactory(configurations, new Telemetry());
      apps.provision();
      apps.requireWrite(Role.PRODUCER);
      Exit worst = Exit.DONE;
      try (ProducerApp producer = apps.producerOnDemand(sources)) {
        producer.start();
        for (SourceConfig source : sources) {
          Exit one = show(terminal, producer.pollNow(source.key()), json);
          worst = one.code() == Exit.FAILED.code() || worst == Exit.DONE ? one : worst;
        }
      }
      return worst;
    }
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
        done.complaints(SHOWN).forEach(bad -> terminal.say("flyball: " + bad));
        if (done.more()) {
          terminal.say(
              "flyball: "
                  + done.source()
                  + " was read in part, for its tracker asks for a pause; run it again later,"
                  + " it goes on from there");
        }
        yield done.invalid().isEmpty() && !done.more() ? Exit.DONE : Exit.DEGRADED;
      }
      case PollReport.Skipped skipped -> {
        terminal.say("flyball: " + skipped.source() + " not polled: " + skipped.reason());
        yield Exit.FAILED;
      }
      case PollReport.Failed failed -> {
        terminal.say("flyball: " + failed.source() + ": " + failed.reason());
        yield Exit.FAILED;
      }
    };
  }

  private static String tsv(Map<String, Object> line) {
    return String.join(
        "\t", line.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue()).toList());
  }
}
