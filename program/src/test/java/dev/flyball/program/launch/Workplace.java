package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;

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

/** A folder with a small repository, a file of items, agents and a configuration. */
public final class Workplace {
  /** That of {@link #SCALED}. */
  public static final Duration SCALED_LEASE = Duration.ofMillis(4500);

  /** All clocks a tenth of the defaults. */
  public static final Clocks SCALED = new Clocks(SCALED_LEASE.toMillis() + "ms", "1s", "1s");

  /** An agent that answers immediately. */
  public static final String ANSWERS =
      """
      cat > /dev/null
      echo "Main.java line 1 is the cause"
      """;

  /** What the first item of the backlog says. */
  public static final String LEASE =
      "Ledger.expireLease ends a lease although its holder lives. Steps: start two runners, wait."
          + " Expected: the lease stays.";

  /** The folder, which is also the home of every process that is started in it. */
  public final Path home;

  /** The ledger's clocks, as configuration spells them. */
  public record Clocks(String lease, String renew, String margin) {}

  private Workplace(Path home) {
    this.home = home;
  }

  /** Makes one with a repository and no item. */
  public static Workplace in(Path home) {
    var place = new Workplace(home);
    place.write("repo/Main.java", "class Main {}\n");
    place.write(
        "repo/src/Ledger.java",
        "class Ledger {\n  // the lease expires here\n  void expireLease() {}\n}\n");
    place.write(
        "repo/src/Parser.java", "class Parser {\n  void parseDuration(String text) {}\n}\n");
    place.write("items.jsonl", "");
    return place;
  }

  /** Makes one with this agent too. */
  public static Workplace in(Path home, String agent) {
    Workplace place = in(home);
    var _ = place.agent("agent.sh", agent);
    return place;
  }

  /** Writes an agent of a few shell lines; returns its name for the configuration. */
  public String agent(String name, String script) {
    write(name, "#!/bin/sh\n" + script, true);
    return "command:" + home.resolve(name);
  }

  /** Makes this script the program {@code claude}; returns the path on which it is found. */
  public Map<String, String> claude(String script) {
    var _ = agent("bin/claude", script);
    return Map.of("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
  }

  /** What every process of this workplace carries in its environment. */
  public String homeEntry() {
    return "HOME=" + home;
  }

  /** Sessions of this workplace that are alive now. */
  public Set<String> live() {
    return ProcSampler.sessions(homeEntry());
  }

  /** Starts a run of the items, with these settings, each {@code key=value}. */
  public Program run(Map<String, String> environment, String... settings) {
    var command = new ArrayList<>(List.of("run", "items.jsonl", "--json", "--data", "data"));
    command.addAll(List.of("--repo", "repo"));
    for (String each : settings) {
      command.addAll(List.of("--set", each));
    }
    return Program.start(home, environment, command.toArray(String[]::new));
  }

  /** Configures a service of the items with these keys of sessions, on any free ports. */
  public void service(String sessions) {
    write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo%s}
        triage: {classifier: rules}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(sessions.isEmpty() ? "" : ", " + sessions));
  }

  /** Writes flyball.yaml, which every role started in this folder reads. */
  public Workplace configure(String kafka, int cap, Clocks clocks) {
    write(
        "flyball.yaml",
        """
        cap: %s
        %s
        sources:
          - {name: backlog, type: jsonl, path: items.jsonl, interval: 1s}
        ledger: {lease: %s, renew: %s, margin: %s}
        sessions: {agent: "command:%s", repo: repo, slots: 4, stagger: 25ms, grace: 500ms, back-off: 1s, attempts: 3}
        gate: {load: 1000, pressure: 100, memory: 16MB}
        triage: {batch: {items: 50, linger: 200ms}}
        """
            .formatted(
                cap, kafka, clocks.lease, clocks.renew, clocks.margin, home.resolve("agent.sh")));
    return this;
  }

  /** The configuration line that names a broker. */
  public static String kafka(String bootstrapServers) {
    return "kafka: {bootstrap.servers: \"" + bootstrapServers + "\"}";
  }

  /** Replaces what matches in the configuration. */
  public Workplace change(String pattern, String text) {
    try {
      String yaml = Files.readString(home.resolve("flyball.yaml"));
      String changed = yaml.replaceFirst(pattern, text);
      assertThat(changed).as(pattern).isNotEqualTo(yaml);
      return write("flyball.yaml", changed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes the sources out of the configuration: a service started here reads topics only. */
  public void withoutSources() {
    change("sources:\\n.*\\n", "");
  }

  /** Adds an item that the rules find worth a session, as {@code default/backlog/<id>}. */
  public void add(int id, int revision) {
    addLine(item(id, revision));
  }

  /** The line of such an item. */
  public static String item(int id, int revision) {
    return item(
        Integer.toString(id),
        "NullPointerException in Main.java when parsing item " + id,
        "Stack trace: java.lang.NullPointerException at Main.main(Main.java:1). Steps: run Main"
            + " with argument %s, revision %s. Expected: no exception.".formatted(id, revision),
        Integer.toString(revision));
  }

  /** The line of an item. */
  public static String item(String id, String title, String text, String revision) {
    return """
    {"id":"%s","title":"%s","description":"<p>%s</p>","type":"Bug","state":"Active","priority":1,"revision":"%s"}
    """
        .formatted(id, title, text, revision);
  }

  /** Two items that deserve a session and one that does not. */
  public static String backlog(String leaseText, String leaseRevision) {
    return item("1", "Lease expires too early", leaseText, leaseRevision)
        + item(
            "2",
            "parseDuration throws on 7d",
            "Parser.parseDuration fails with an exception when the text is 7d. Steps: call it."
                + " Expected: seven days.",
            "1")
        + item("3", "Follow up", "", "1");
  }

  /** Adds a line to the items. */
  public void addLine(String line) {
    try {
      Files.writeString(home.resolve("items.jsonl"), line, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file of the workplace in one step: a process may be reading the one before. */
  public Workplace write(String name, String text) {
    return write(name, text, false);
  }

  private Workplace write(String name, String text, boolean executable) {
    try {
      Path file = home.resolve(name);
      Files.createDirectories(file.getParent());
      Path next = Files.writeString(home.resolve(name + ".next"), text);
      assertThat(next.toFile().setExecutable(executable, false)).isTrue();
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes a file of the workplace away, if it is there. */
  public void remove(String name) {
    try {
      Files.deleteIfExists(home.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
