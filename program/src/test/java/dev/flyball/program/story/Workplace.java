package dev.flyball.program.story;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A folder with a configuration, an items file, a repository and an agent. */
final class Workplace {
  static final Duration SCALED_LEASE = Duration.ofMillis(4500);

  /** All clocks a tenth of the defaults. */
  static final Clocks SCALED = new Clocks(SCALED_LEASE.toMillis() + "ms", "1s", "1s");

  /** An agent that answers immediately. */
  static final String ANSWERS =
      """
      #!/bin/sh
      cat > /dev/null
      echo "Main.java line 1 is the cause"
      """;

  final Path home;
  final Path items;

  /** The ledger's clocks, as configuration spells them. */
  record Clocks(String lease, String renew, String margin) {}

  private Workplace(Path home) {
    this.home = home;
    this.items = home.resolve("items.jsonl");
  }

  static Workplace in(Path home, String agentScript) {
    var place = new Workplace(home);
    place.write("repo/Main.java", "class Main {}\n");
    place.write("items.jsonl", "");
    place.write("agent.sh", agentScript);
    place.agent().toFile().setExecutable(true);
    return place;
  }

  Path agent() {
    return home.resolve("agent.sh");
  }

  /** Makes this script the program {@code claude}; returns the path on which it is found. */
  Map<String, String> claude(String script) {
    write("bin/claude", script);
    home.resolve("bin/claude").toFile().setExecutable(true);
    return Map.of("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
  }

  /** What every process of this workplace carries in its environment. */
  String homeEntry() {
    return "HOME=" + home;
  }

  /** Sessions of this workplace that are alive now. */
  Set<String> live() {
    return ProcSampler.sessions(homeEntry());
  }

  Path repository() {
    return home.resolve("repo");
  }

  /** Starts a run of the items, with these settings, each {@code key=value}. */
  Program run(Map<String, String> environment, String... settings) {
    var command = new ArrayList<>(List.of("run", "items.jsonl", "--json", "--data", "data"));
    command.addAll(List.of("--repo", repository().toString()));
    for (String each : settings) {
      command.addAll(List.of("--set", each));
    }
    return Program.start(home, environment, command.toArray(String[]::new));
  }

  /** Writes flyball.yaml, which every role started in this folder reads. */
  Workplace configure(String kafka, int cap, Clocks clocks) {
    write(
        "flyball.yaml",
        """
        cap: %s
        %s
        sources:
          - {name: backlog, type: jsonl, path: items.jsonl, interval: 1s}
        ledger: {lease: %s, renew: %s, margin: %s}
        sessions: {agent: "command:%s", repo: "%s", slots: 4, stagger: 25ms, grace: 500ms, back-off: 1s, attempts: 3}
        gate: {load: 1000, pressure: 100, memory: 16MB}
        triage: {batch: {items: 50, linger: 200ms}}
        """
            .formatted(
                cap,
                kafka,
                clocks.lease(),
                clocks.renew(),
                clocks.margin(),
                agent(),
                repository()));
    return this;
  }

  /** The configuration line that names a broker. */
  static String kafka(String bootstrapServers) {
    return "kafka: {bootstrap.servers: \"" + bootstrapServers + "\"}";
  }

  /** Replaces the sources of the configuration by these lines. */
  void sources(String lines) {
    try {
      String yaml = Files.readString(home.resolve("flyball.yaml"));
      write("flyball.yaml", yaml.replaceFirst("(sources:\\n).*\\n", "$1" + lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes the sources out of the configuration: a service started here reads topics only. */
  void withoutSources() {
    try {
      String yaml = Files.readString(home.resolve("flyball.yaml"));
      write("flyball.yaml", yaml.replaceFirst("sources:\\n.*\\n", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds an item that the rules find worth a session, as {@code default/items/<id>}. */
  void add(int id, int revision) {
    addLine(item(id, revision));
  }

  /** The line of such an item. */
  static String item(int id, int revision) {
    return """
    {"id":"%s","title":"NullPointerException in Main.java when parsing item %s","description":"<p>Stack trace: \
    java.lang.NullPointerException at Main.main(Main.java:1). Steps: run Main with argument %s, revision %s. \
    Expected: no exception.</p>","type":"Bug","state":"Active","priority":1,"revision":"%s"}
    """
        .formatted(id, id, id, revision, revision);
  }

  /** Adds a line to the items. */
  void addLine(String line) {
    try {
      Files.writeString(items, line, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file of the workplace in one step. */
  void write(String name, String text) {
    try {
      Path file = home.resolve(name);
      Files.createDirectories(file.getParent());
      Path next = home.resolve(name + ".next");
      Files.writeString(next, text);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes a file of the workplace away, if it is there. */
  void remove(String name) {
    try {
      Files.deleteIfExists(home.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
