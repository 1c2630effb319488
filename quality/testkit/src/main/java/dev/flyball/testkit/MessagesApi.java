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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/**
 * A model provider on loopback, so that a real agent program runs without a network, a key or a
 * bill. It speaks the Messages API as far as Claude Code needs it: a streamed answer for each
 * request, taken from a script. The script's last turn answers all further requests too.
 */
public final class MessagesApi implements AutoCloseable {
  /** Input tokens that each answer reports. */
  public static final int INPUT_TOKENS = 123;

  /** Output tokens that each answer reports. */
  public static final int OUTPUT_TOKENS = 17;

  /** Tokens read from the provider's cache that each answer reports. */
  public static final int CACHED_TOKENS = 45;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private final List<Turn> script;

  /** The answer to one request. */
  public sealed interface Turn {
    /** With the structured answer of a deep session: this text and one passage. */
    static Turn analysis(String text) {
      String answer =
          RecordJson.write(
              Map.of(
                  "text",
                  text,
                  "files",
                  List.of(
                      Map.of(
                          "path", "src/A.java", "fromLine", 3, "toLine", 5, "excerpt", "int a;")),
                  "deserved",
                  "true",
                  "why",
                  "it names a cause"));
      return new Structures(body -> answer);
    }

    /** With a text, which ends the agent's turn. */
    record Says(String text) implements Turn {}

    /** With a text, if it is not empty, and a request to run a shell command. */
    record Runs(String text, String command) implements Turn {
      /** Without a text. */
      public Runs(String command) {
        this("", command);
      }
    }

    /**
     * With the structured answer that {@code --json-schema} asks for.
     *
     * @param answer makes it, as JSON, from the body of the request
     */
    record Structures(UnaryOperator<String> answer) implements Turn {}

    /** With an HTTP status and an error: 429 and 529 are a provider's limits. */
    record Fails(int status) implements Turn {}

    /**
     * With the rejection that a subscription gets whose limit is reached.
     *
     * @param claim which limit, for example {@code seven_day}
     * @param resetsAt when it ends, in seconds since 1970
     */
    record Limits(String claim, long resetsAt) implements Turn {}

    /** With the beginning of an answer and then nothing more. */
    record Stalls() implements Turn {}
  }

  private MessagesApi(HttpServer server, List<Turn> script) {
    this.server = server;
    this.script = script;
  }

  /** Listens on a free port. */
  public static MessagesApi answering(Turn... script) {
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      var api = new MessagesApi(HttpServer.create(address, 0), List.of(script));
      api.server.setExecutor(api.threads);
      api.server.createContext("/", api::answer);
      api.server.start();
      return api;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The environment variables that lead an agent here instead of to a provider. */
  public Map<String, String> environment() {
    return Map.of("ANTHROPIC_BASE_URL", url(), "ANTHROPIC_API_KEY", "no-key-at-all");
  }

  /** The base address. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The bodies of the requests received until now. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String path = exchange.getRequestURI().getPath();
      if (!path.equals("/v1/messages")) {
        send(exchange, 200, Map.of("input_tokens", INPUT_TOKENS));
        return;
      }
      Turn turn;
      synchronized (requests) {
        turn = script.get(Math.min(requests.size(), script.size() - 1));
        requests.add(body);
      }
      answer(exchange, turn, body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(HttpExchange exchange, Turn turn, String body)
      throws IOException, InterruptedException {
    String model = RecordJson.parse(body).path("model").asText("model");
    switch (turn) {
      case Turn.Fails(int status) ->
          send(
              exchange,
              status,
              Map.of(
                  "type", "error", "error", Map.of("type", kind(status), "message", "scripted")));
      case Turn.Limits(String claim, long resetsAt) -> {
        String header = "anthropic-ratelimit-unified-";
        exchange.getResponseHeaders().set(header + "status", "rejected");
        exchange.getResponseHeaders().set(header + "reset", String.valueOf(resetsAt));
        exchange.getResponseHeaders().set(header + "representative-claim", claim);
        answer(exchange, new Turn.Fails(429), body);
      }
      case Turn.Says(String text) -> {
        OutputStream out = begin(exchange, model);
        text(out, text);
        end(out, "end_turn");
      }
      case Turn.Runs(String text, String command) -> {
        OutputStream out = begin(exchange, model);
        int index = text.isEmpty() ? 0 : 1;
        if (index > 0) {
          text(out, text);
        }
        tool(
            out,
            index,
            "Bash",
            RecordJson.write(Map.of("command", command, "description", "a scripted command")));
      }
      case Turn.Structures(UnaryOperator<String> answer) ->
          tool(begin(exchange, model), 0, "StructuredOutput", answer.apply(body));
      case Turn.Stalls stalls -> {
        var _ = begin(exchange, model);
        closed.await();
      }
    }
  }

  private OutputStream begin(HttpExchange exchange, String model) throws IOException {
    exchange.getResponseHeaders().set("content-type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    Map<String, Object> message =
        Map.of(
            "id",
            "msg_" + requests.size(),
            "type",
            "message",
            "role",
            "assistant",
            "model",
            model,
            "content",
            List.of(),
            "usage",
            usage(1));
    event(out, "message_start", Map.of("message", message));
    return out;
  }

  private void tool(OutputStream out, int index, String name, String input) throws IOException {
    block(
        out,
        index,
        Map.of(
            "type", "tool_use", "id", "toolu_" + requests.size(), "name", name, "input", Map.of()),
        Map.of("type", "input_json_delta", "partial_json", input));
    end(out, "tool_use");
  }

  private static void text(OutputStream out, String text) throws IOException {
    block(out, 0, Map.of("type", "text", "text", ""), Map.of("type", "text_delta", "text", text));
  }

  private static void block(
      OutputStream out, int index, Map<String, Object> start, Map<String, Object> delta)
      throws IOException {
    event(out, "content_block_start", Map.of("index", index, "content_block", start));
    event(out, "content_block_delta", Map.of("index", index, "delta", delta));
    event(out, "content_block_stop", Map.of("index", index));
  }

  private static void end(OutputStream out, String reason) throws IOException {
    event(
        out,
        "message_delta",
        Map.of("delta", Map.of("stop_reason", reason), "usage", usage(OUTPUT_TOKENS)));
    event(out, "message_stop", Map.of());
  }

  private static Map<String, Object> usage(int output) {
    return Map.of(
        "input_tokens",
        INPUT_TOKENS,
        "output_tokens",
        output,
        "cache_read_input_tokens",
        CACHED_TOKENS,
        "cache_creation_input_tokens",
        0);
  }

  private static void event(OutputStream out, String type, Map<String, Object> fields)
      throws IOException {
    var data = new java.util.LinkedHashMap<String, Object>();
    data.put("type", type);
    data.putAll(fields);
    String text = "event: " + type + "\ndata: " + RecordJson.write(data) + "\n\n";
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void send(HttpExchange exchange, int status, Map<String, Object> body)
      throws IOException {
    byte[] bytes = RecordJson.bytes(body);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static String kind(int status) {
    return switch (status) {
      case 429 -> "rate_limit_error";
      case 529 -> "overloaded_error";
      default -> "api_error";
    };
  }
}
