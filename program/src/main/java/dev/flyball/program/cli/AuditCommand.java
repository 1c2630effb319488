package dev.flyball.program.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.audit.Audit;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command that checks what Kafka holds against what Flyball promises. */
final class AuditCommand {
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private AuditCommand() {}

  @Command(name = "audit", mixinStandardHelpOptions = true)
  static Exit audit(
      @Mixin KafkaOptions options,
      @Mixin TableOptions table,
      @Parameters(arity = "0..2", paramLabel = "FILE") @Nullable List<Path> files) {
    var audit = new Audit();
    var sink = new Sink(audit, options.terminal);
    if (files == null || files.isEmpty()) {
      kafka(options, sink);
    } else if (files.size() == 2) {
      lines(files.get(1), sink::event);
      lines(files.get(0), sink::entry);
    } else {
      throw new ConfigurationError("name two files: that of the ledger, then that of the events");
    }
    if (audit.needsCheckpoint()) {
      throw new StartFailure(
          "the oldest entries of the ledger were cut, and no whole checkpoint follows from which to"
              + " begin; try again after the next one of a runner");
    }
    return print(audit.report(), table);
  }

  private static Exit print(Audit.Report report, TableOptions table) {
    Exit exit = report.violations().isEmpty() ? Exit.DONE : Exit.UNHEALTHY;
    if (table.json) {
      var _ = table.object(report);
      return exit;
    }
    PrintStream out = table.terminal.out();
    report.violations().forEach(each -> out.println(each.promise() + " " + each.text()));
    if (report.violations().isEmpty()) {
      out.println("no promise is broken");
    }
    String ended =
        report.entries() + " entries of the ledger, " + report.ended() + " sessions ended";
    out.println(ended + ", " + report.live() + " live, at most " + report.most() + " at one time");
    return exit;
  }

  /** A record, from Kafka or from a line of kcat. */
  private record Read(String where, long offset, long time, String type, String value) {
    static Read of(ConsumerRecord<String, byte[]> record) {
      String type = EventHeaders.text(record.headers(), "ce_type");
      byte[] value = record.value();
      return new Read(
          record.topic() + " " + record.partition() + ":" + record.offset(),
          record.offset(),
          record.timestamp(),
          type == null ? "" : type,
          value == null ? "{}" : new String(value, StandardCharsets.UTF_8));
    }

    /** kcat prints headers as one list of names and values. */
    static Read of(JsonNode line) {
      JsonNode headers = line.path("headers");
      String type = "";
      for (int i = 0; i + 1 < headers.size(); i += 2) {
        type = headers.path(i).asText().equals("ce_type") ? headers.path(i + 1).asText() : type;
      }
      long offset = line.path("offset").asLong();
      return new Read(
          line.path("topic").asText() + " " + line.path("partition").asText() + ":" + offset,
          offset,
          line.path("ts").asLong(),
          type,
          line.path("payload").asText("{}"));
    }
  }

  private record Sink(Audit audit, Terminal terminal) {
    void event(Read read) {
      json(read).ifPresent(data -> audit.event(read.type(), data));
    }

    void entry(Read read) {
      json(read).ifPresent(entry -> audit.entry(read.offset(), read.time(), entry));
    }

    private Optional<JsonNode> json(Read read) {
      try {
        return Optional.of(RecordJson.parse(read.value()));
      } catch (UnreadableRecord e) {
        terminal.note(read.where() + " is not JSON; Flyball skips it too");
        return Optional.empty();
      }
    }
  }

  /** Where no service runs, the Kafka of the stopped one is started for as long as this takes. */
  private static void kafka(KafkaOptions options, Sink sink) {
    Configuration configuration = options.load();
    Path broker = KafkaFinder.broker(configuration);
    if (KafkaFinder.clients(configuration, "audit").isPresent() || !Files.isDirectory(broker)) {
      kafka(options.clients(configuration, "audit"), sink);
      return;
    }
    Path data = broker.resolveSibling("");
    options.terminal.note("no service runs in " + data + "; its Kafka is started for this audit");
    try (var _ = DataLock.take(data);
        var _ = KafkaFinder.start(data, settings -> settings)) {
      kafka(options.clients(configuration, "audit"), sink);
    }
  }

  /** The end of the ledger is taken first: what it names up to there has its events then. */
  private static void kafka(KafkaClients clients, Sink sink) {
    var _ = clients.reach(Duration.ofSeconds(5));
    try (var ledger = clients.consumer("audit-ledger");
        var events = clients.consumer("audit-events")) {
      var entries = TopicTail.of(ledger, clients.topics().sessionLedger());
      Map<TopicPartition, Long> end = entries.ends();
      var all = TopicTail.of(events, clients.topics().sessionEvents());
      if (!all.readToEnd(record -> sink.event(Read.of(record)), SILENCE)
          || !entries.readTo(end, record -> sink.entry(Read.of(record)), SILENCE)) {
        throw new StartFailure(
            "Kafka returned no records for " + SILENCE.toSeconds() + " s; see ./flyball doctor");
      }
    }
  }

  private static void lines(Path file, Consumer<Read> sink) {
    try (Stream<String> lines = Files.lines(file)) {
      lines.map(RecordJson::parse).map(Read::of).forEach(sink);
    } catch (IOException | UncheckedIOException | UnreadableRecord e) {
      throw new StartFailure(
          "cannot read " + file + ": " + e.getMessage() + "; write it with kcat -C -e -q -J", e);
    }
  }
}
