package dev.flyball.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A model provider on loopback that speaks the Responses API as far as codex needs it: a streamed
 * text for each request, the script's next one. The last text answers all further requests too.
 */
public final class ResponsesApi implements AutoCloseable {
  /** Input tokens that each answer reports. */
  public static final int INPUT_TOKENS = 100;

  /** Output tokens that each answer reports. */
  public static final int OUTPUT_TOKENS = 5;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private final int status;
  private final List<String> script;

  private ResponsesApi(HttpServer server, int status, List<String> script) {
    this.server = server;
    this.status = status;
    this.script = script;
  }

  /** Listens on a free port. */
  public static ResponsesApi answering(String... script) {
    return begun(200, List.of(script));
  }

  /** Listens on a free port, and rejects every request with this status and JSON body. */
  public static ResponsesApi rejecting(int status, String body) {
    return begun(status, List.of(body));
  }

  private static ResponsesApi begun(int status, List<String> script) {
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      var api = new ResponsesApi(HttpServer.create(address, 0), status, script);
      api.server.setExecutor(api.threads);
      api.server.createContext("/v1/responses", api::answer);
      api.server.start();
      return api;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The base address, which ends in {@code /v1}. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  /** The bodies of the requests received until now. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int number;
      synchronized (requests) {
        number = requests.size();
        requests.add(body);
      }
      String text = script.get(Math.min(number, script.size() - 1));
      if (status != 200) {
        byte[] rejection = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(status, rejection.length);
        exchange.getResponseBody().write(rejection);
        return;
      }
      exchange.getResponseHeaders().set("content-type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      event(out, "response.created", Map.of("response", Map.of("id", "r" + number)));
      event(
          out,
          "response.output_item.done",
          Map.of(
              "output_index",
              0,
              "item",
              Map.of(
                  "type",
                  "message",
                  "role",
                  "assistant",
                  "id",
                  "m" + number,
                  "content",
                  List.of(Map.of("type", "output_text", "text", text)))));
      event(
          out,
          "response.completed",
          Map.of("response", Map.of("id", "r" + number, "usage", usage())));
    }
  }

  private static Map<String, Integer> usage() {
    return Map.of(
        "input_tokens",
        INPUT_TOKENS,
        "output_tokens",
        OUTPUT_TOKENS,
        "total_tokens",
        INPUT_TOKENS + OUTPUT_TOKENS);
  }

  private static void event(OutputStream out, String type, Map<String, Object> fields)
      throws IOException {
    var data = new HashMap<>(fields);
    data.put("type", type);
    String lines = "event: " + type + "\ndata: " + RecordJson.write(data) + "\n\n";
    out.write(lines.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
