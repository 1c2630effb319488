package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One process of the program, started from the test's class path, in its locale and with the
 * launcher's JVM settings and such a cache of classes as the launcher uses, with its output in
 * files. A busy machine must not hold stories up, so its gate is wide open.
 */
public final class Program implements AutoCloseable {
  /** The variables of a service on any free ports. */
  public static final Map<String, String> ANYWHERE =
      Map.of("FLYBALL_CONSOLE_LISTEN", "127.0.0.1:0", "FLYBALL_BROKER_LISTEN", "127.0.0.1:0");

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final Process process;
  private final Path out;
  private final Path err;

  private Program(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts a role or a command; {@code home} is its working directory and keeps its output. */
  public static Program start(Path home, String... args) {
    return start(home, Map.of(), args);
  }

  /** The same with further environment variables. */
  public static Program start(Path home, Map<String, String> environment, String... args) {
    return start(home, environment, List.of(), args);
  }

  /**
   * The same behind the words of another command, for example one that enters a network namespace;
   * it must replace itself by the program.
   */
  public static Program start(
      Path home, Map<String, String> environment, List<String> prefix, String... args) {
    try {
      Files.createDirectories(home);
      Path out = Files.createTempFile(home, args[0] + "-", ".out");
      Path err = Path.of(out.toString().replace(".out", ".err"));
      String classPath = ClassCache.withoutTests(System.getProperty("java.class.path"));
      var command = new ArrayList<>(prefix);
      command.add(ClassCache.JAVA);
      command.addAll(ClassCache.options(args[0], classPath));
      // What a story runs ends before the second compiler pays back what it takes.
      command.add("-XX:TieredStopAtLevel=1");
      command.addAll(
          List.of(
              "-Duser.language=" + Locale.getDefault().getLanguage(),
              "-Duser.country=" + Locale.getDefault().getCountry(),
              // The test class path has a chattier one of its own.
              "-Dlogback.configurationFile=logback.xml",
              "-cp",
              classPath,
              "dev.flyball.program.FlyballMain"));
      command.addAll(List.of(args));
      var builder =
          new ProcessBuilder(command)
              .directory(home.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("FLYBALL_"));
      // With any of them a JVM prints a line of its own to standard error.
      builder
          .environment()
          .keySet()
          .removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
      builder.environment().put("HOME", home.toString());
      builder.environment().put("FLYBALL_GATE_LOAD", "1000");
      // Clusters of tests have one broker.
      builder.environment().put("FLYBALL_TOPICS_REPLICATION", "1");
      builder.environment().put("FLYBALL_TRIAGE_BATCH_LINGER", "300ms");
      builder.environment().putAll(environment);
      return new Program(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a service and waits until it is ready. */
  public static Program up(Path home, Map<String, String> environment, String... more) {
    String[] args = Stream.concat(Stream.of("up"), Stream.of(more)).toArray(String[]::new);
    Program up = start(home, environment, args);
    up.awaitLine("ready console=");
    return up;
  }

  /** The same without further variables. */
  public static Program up(Path home, String... more) {
    return up(home, Map.of(), more);
  }

  /** A value of the ready line, for example the address of a service's {@code console}. */
  public String ready(String name) {
    var found = Pattern.compile("(?m)^ready .*\\b" + name + "=(\\S+)").matcher(out());
    assertThat(found.find()).as(out()).isTrue();
    return found.group(1);
  }

  /** What a service that is ready answers at this path. */
  public HttpResponse<String> get(String path) {
    return get(URI.create(ready(out().contains(" admin=") ? "admin" : "console") + path));
  }

  /** The same as JSON. */
  public JsonNode json(String path) {
    return RecordJson.parse(get(path).body());
  }

  /** The answer of this address. */
  public static HttpResponse<String> get(URI address) {
    return send(HttpRequest.newBuilder(address));
  }

  /** The answer to this request. */
  public static HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts a command and waits for its end. */
  public static Program run(Path home, String... args) {
    Program program = start(home, args);
    program.awaitExit(PATIENCE);
    return program;
  }

  /** Waits until standard output or error has this text. */
  public void awaitLine(String text) {
    await(text)
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          if (!alive() && !(out() + err()).contains(text)) {
            throw new IllegalStateException("ended with " + process.exitValue() + ": " + err());
          }
          assertThat(out() + err()).contains(text);
        });
  }

  /** The one line of JSON that it printed. */
  public JsonNode json() {
    return RecordJson.parse(out().strip());
  }

  /** Waits for the line that says the role does its work. */
  public Program awaitReady() {
    awaitLine("ready ");
    return this;
  }

  /** Waits until {@code run} has said where its embedded Kafka is. */
  public String awaitEmbeddedKafka() {
    awaitLine("Kafka is up on ");
    var said = Pattern.compile("Kafka is up on (\\S+:[0-9]+)").matcher(err());
    assertThat(said.find()).as(err()).isTrue();
    return said.group(1);
  }

  /** Waits for its end, patiently. */
  public int awaitEnd() {
    return awaitExit(PATIENCE);
  }

  /** Waits for its end; it is killed if it is late. */
  public int awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("still running after " + limit + "; stderr: " + err());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Whether it runs. */
  public boolean alive() {
    return process.isAlive();
  }

  /** Of the process. */
  public long pid() {
    return process.pid();
  }

  /** Ends it as kill -9 does. */
  public void kill9() {
    process.destroyForcibly();
    awaitExit(Duration.ofSeconds(10));
  }

  /** Sends a signal by its name. */
  public void signal(String name) {
    var _ = Shell.said("kill", "-" + name, Long.toString(pid()));
  }

  /** What it printed. */
  public String out() {
    return read(out);
  }

  /** What it complained of. */
  public String err() {
    return read(err);
  }

  /** What is in a file; nothing before there is one. */
  public static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it by TERM; a program that does not end is killed. */
  public void stop() {
    if (!alive()) {
      return;
    }
    signal("TERM");
    try {
      awaitExit(Duration.ofSeconds(20));
    } catch (AssertionError late) {
      awaitExit(Duration.ofSeconds(10));
    }
  }

  /** Ends it at once: how a program stops is not the subject of a story that is over. */
  @Override
  public void close() {
    kill9();
  }
}
