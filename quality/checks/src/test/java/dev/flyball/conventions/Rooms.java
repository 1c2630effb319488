package dev.flyball.conventions;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The house's rooms by their packages. A new package that is pure, or an edge, is named here. */
final class Rooms {
  static final String[] CONTRACT = {"dev.flyball.contract.."};
  static final String[] KAFKA = {"dev.flyball.kafka.."};
  static final String[] MARKDOWN = {"dev.flyball.markdown.."};
  static final String[] SQLITE = {"dev.flyball.sqlite.."};
  static final String[] BROKER = {"dev.flyball.broker.."};
  static final String[] TELEMETRY = {"dev.flyball.ops.telemetry.."};
  static final String[] CONSOLE = {"dev.flyball.ops.console.."};
  static final String[] TRACKERS = {"dev.flyball.tracker.."};
  static final String[] WRITE_BACK = {"dev.flyball.writeback.."};
  static final String[] PRODUCER = {"dev.flyball.producer.."};
  static final String[] TRIAGE = {"dev.flyball.triage.."};
  static final String[] CONTAINMENT = {"dev.flyball.containment.."};
  static final String[] CONTAINMENT_LEVELS = {
    "dev.flyball.containment.namespace",
    "dev.flyball.containment.probe",
    "dev.flyball.containment.supervisor",
  };
  static final String[] SCOUT = {"dev.flyball.scout.."};
  static final String[] RUNNER = {"dev.flyball.runner.."};
  static final String[] PROGRAM = {"dev.flyball.program.."};

  /** Packages that only decide: no Kafka, I/O, threads or clocks. */
  static final String[] PURE = {
    "dev.flyball.contract.command..",
    "dev.flyball.contract.item..",
    "dev.flyball.contract.ledger..",
    "dev.flyball.contract.metric..",
    "dev.flyball.contract.poll..",
    "dev.flyball.contract.session..",
    "dev.flyball.contract.topic..",
    "dev.flyball.contract.triage..",
    "dev.flyball.producer.breaker..",
    "dev.flyball.producer.change..",
    "dev.flyball.tracker.text..",
    "dev.flyball.triage.item..",
    "dev.flyball.runner.protocol..",
    "dev.flyball.runner.session..",
    "dev.flyball.runner.queue..",
    "dev.flyball.runner.prompt..",
    "dev.flyball.runner.codebase..",
    "dev.flyball.ops.console.notify.rule..",
    "dev.flyball.ops.console.why..",
  };

  /** Packages that hold Kafka clients; everything else gets its records from them. */
  static final String[] KAFKA_CLIENTS = {
    "dev.flyball.kafka..",
    "dev.flyball.producer",
    "dev.flyball.producer.publish..",
    "dev.flyball.writeback..",
    "dev.flyball.triage.topology..",
    "dev.flyball.triage.classify..",
    "dev.flyball.runner",
    "dev.flyball.runner.events..",
    "dev.flyball.runner.ledger..",
    "dev.flyball.ops.console..",
    "dev.flyball.program..",
    "dev.flyball.testkit..",
    "dev.flyball.bench..",
  };

  /** Read once, in the one JVM of these tests: importing takes longer than every rule together. */
  static final JavaClasses MAIN = imported("classes");

  static final JavaClasses TESTS = imported("test-classes");

  private Rooms() {}

  private static JavaClasses imported(String below) {
    Path own = Path.of(Rooms.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    // "target", or "target/quick" with -Dquick.
    Path built = Path.of("").toAbsolutePath().relativize(own.getParent());
    List<Path> folders =
        Repository.modules().stream()
            .map(module -> module.resolve(built).resolve(below))
            .filter(Files::isDirectory)
            .toList();
    return new ClassFileImporter().importPaths(folders);
  }
}
