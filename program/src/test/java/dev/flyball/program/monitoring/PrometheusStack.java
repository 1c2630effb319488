package dev.flyball.program.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Debian's Prometheus, which scrapes one address every second by the alert rules of the repository,
 * its Alertmanager, and the webhook that Alertmanager calls. All on free ports of this machine.
 */
final class PrometheusStack implements AutoCloseable {
  /** The bodies that the webhook received. */
  final BlockingQueue<String> received = new LinkedBlockingQueue<>();

  private final List<Process> processes = new ArrayList<>();
  private final HttpServer webhook;
  private final int port = FreePort.take();

  PrometheusStack(Path folder, Path rules, String target) throws IOException {
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    webhook.createContext(
        "/",
        exchange -> {
          received.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    webhook.start();
    int alertmanager = FreePort.take();
    write(
        folder.resolve("alertmanager.yml"),
        """
        route: {receiver: hook, group_wait: 0s, group_interval: 1s, group_by: [alertname]}
        receivers: [{name: hook, webhook_configs: [{url: "http://127.0.0.1:%d/"}]}]
        """
            .formatted(webhook.getAddress().getPort()));
    write(
        folder.resolve("prometheus.yml"),
        """
        global: {scrape_interval: 1s, evaluation_interval: 1s}
        rule_files: ["%s"]
        alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:%d"]}]}]}
        scrape_configs: [{job_name: flyball-console, static_configs: [{targets: ["%s"]}]}]
        """
            .formatted(rules, alertmanager, target));
    start(
        folder,
        "prometheus-alertmanager",
        "--config.file=alertmanager.yml",
        "--storage.path=alertmanager",
        "--cluster.listen-address=",
        "--web.listen-address=127.0.0.1:" + alertmanager);
    start(
        folder,
        "prometheus",
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=prometheus",
        "--web.listen-address=127.0.0.1:" + port);
  }

  /** The results of an expression now. */
  JsonNode query(String expression) {
    String encoded = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    String address = "http://127.0.0.1:" + port + "/api/v1/query?query=" + encoded;
    String body = Program.get(URI.create(address)).body();
    JsonNode answer = RecordJson.parse(body);
    assertThat(answer.path("status").asText()).as("%s: %s", expression, body).isEqualTo("success");
    return answer.path("data").path("result");
  }

  /** Runs promtool over an input; returns what it complains of, empty if nothing. */
  static String promtool(Path folder, String input, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path file = Files.writeString(Files.createTempFile("promtool", ".in"), input);
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(file.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : said;
  }

  @Override
  public void close() {
    processes.forEach(Process::destroy);
    for (Process process : processes) {
      try {
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        process.destroyForcibly();
      }
    }
    webhook.stop(0);
  }

  private void start(Path folder, String... command) throws IOException {
    processes.add(
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(command[0] + ".log").toFile())
            .start());
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
