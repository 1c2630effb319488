package dev.flyball.program.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Debian's Prometheus, which scrapes one address every second by the repository's alert rules. */
final class PrometheusStack implements AutoCloseable {
  private final Process process;
  private final int port = FreePort.take();

  PrometheusStack(Path folder, Path rules, String target) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("prometheus.yml"),
        """
        global: {scrape_interval: 1s, evaluation_interval: 1s}
        rule_files: ["%s"]
        scrape_configs: [{job_name: flyball-console, static_configs: [{targets: ["%s"]}]}]
        """
            .formatted(rules, target));
    process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=prometheus",
                "--web.listen-address=127.0.0.1:" + port)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
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
  static String promtool(Path folder, String input, String... arguments) throws IOException {
    Path file = Files.writeString(Files.createTempFile("promtool", ".in"), input);
    var command =
        new ArrayList<>(List.of("sh", "-c", "exec promtool \"$@\" < " + file, "promtool"));
    command.addAll(List.of(arguments));
    Shell.Outcome outcome = new Shell(folder).outcome(command.toArray(String[]::new));
    return outcome.code() == 0 ? "" : outcome.output();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
