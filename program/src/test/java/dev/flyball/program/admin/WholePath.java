package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Every role in a separate process with a separate login, and a webhook that takes the results. */
final class WholePath implements AutoCloseable {
  static final List<String> ROLES = List.of("triage", "runner", "console", "producer");

  private final Path home;
  private final FaultServer webhook =
      FaultServer.http().otherwise(_ -> FaultReply.status(200, Map.of()));
  final Map<String, Program> programs = new ConcurrentHashMap<>();

  WholePath(Path home, SecuredKafka kafka) {
    this.home = home;
    try {
      Files.createDirectories(home.resolve("repo"));
      Files.writeString(home.resolve("repo/Main.java"), "class Main {}\n");
      Files.writeString(home.resolve("items.jsonl"), "");
      for (Map.Entry<String, String> file : SecuredKafka.loginFiles().entrySet()) {
        Files.writeString(home.resolve(file.getKey()), file.getValue() + "\n");
      }
      Files.writeString(home.resolve("flyball.yaml"), yaml(kafka.yaml()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String yaml(String kafka) {
    String url = webhook.url().toString();
    return """
    %s
    sources:
      - {name: backlog, type: jsonl, path: items.jsonl, interval: 1s, write-back: webhook, webhook-url: "%s/analysis"}
    notify:
      - {name: ops, type: webhook, url: "%s/note", on: [analysis]}
    sessions: {agent: scout, repo: repo}
    gate: {load: 1000, pressure: 100, memory: 16MB}
    triage: {batch: {items: 50, linger: 200ms}}
    """
        .formatted(kafka, url, url);
  }

  /** Starts every role and waits until all are ready. */
  void start() {
    ROLES.forEach(this::role);
    programs.values().forEach(Program::awaitReady);
  }

  /** Starts one role. */
  Program role(String role) {
    Program started = Program.start(home, role, "--data", role);
    programs.put(role, started);
    return started;
  }

  /** Sends one item through all roles, up to the webhooks. */
  void oneItem() {
    try {
      Files.writeString(
          home.resolve("items.jsonl"),
          """
          {"id":"1","title":"NullPointerException in Main.java when parsing item 1","description":"Stack trace: \
          java.lang.NullPointerException at Main.main(Main.java:1). Steps: run Main. Expected: no exception.",\
          "type":"Bug","state":"Active","priority":1,"revision":"1"}
          no JSON
          """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String path : List.of("/analysis", "/note")) {
      await(path)
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(() ->
              assertThat(webhook.requests())
                  .as(problems())
                  .anyMatch(request -> request.path().equals(path)));
    }
  }

  /** The commands that change or read something through Kafka, by the operator's login. */
  void operators() {
    for (List<String> command :
        List.of(
            List.of("cap", "2"),
            List.of("retry", "default/backlog/1"),
            List.of("logs", "default/backlog/1"),
            List.of("dead-letters", "requeue"),
            List.of("topics"),
            List.of("doctor"))) {
      Program ran = run(command.toArray(String[]::new));
      assertThat(ran.awaitExit(Duration.ofSeconds(1)))
          .as(command + ": " + ran.out() + ran.err())
          // The doctor also complains of a busy machine.
          .isIn(0, 3, 4);
    }
  }

  /** Runs a command to its end. */
  Program run(String... command) {
    var words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--data", "console"));
    return Program.run(home, words.toArray(String[]::new));
  }

  /** What all roles print on standard error. */
  String problems() {
    var all = new StringBuilder();
    programs.forEach((role, program) ->
        all.append(role).append(": ").append(program.err()).append(program.out()));
    return all.toString();
  }

  /** Stops every role. */
  void stop() {
    programs.values().forEach(Program::stop);
  }

  @Override
  public void close() {
    stop();
    webhook.close();
  }
}
