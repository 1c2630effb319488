package dev.flyball.producer.handover;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A tracker that logs which producer asked what, and when. Every poll requests its pages one by
 * one, under a separate id.
 */
final class ScriptedTracker implements AutoCloseable {
  static final int PAGE = 10;

  private final HttpServer server;
  private final Map<String, Issue> issues = new ConcurrentHashMap<>();
  private final Map<String, List<Issue>> answers = new ConcurrentHashMap<>();
  private final List<Request> log = new CopyOnWriteArrayList<>();

  /** Called with the producer's name for each request before it is answered. */
  volatile Consumer<String> arrived = who -> {};

  record Issue(String id, String title, Instant changedAt) {}

  private record Request(String poll, String who, long begin, long end) {}

  /** One poll from its first request to the answer of its last. */
  record Poll(String poll, String who, long begin, long end) {}

  /** One page. */
  record Page(List<Issue> issues, boolean last) {}

  ScriptedTracker() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/issues";
  }

  void put(String id, String title) {
    issues.put(id, new Issue(id, title, Instant.now()));
  }

  /** The newest title of each issue. */
  Map<String, String> titles() {
    var titles = new TreeMap<String, String>();
    issues.values().forEach(issue -> titles.put(issue.id(), issue.title()));
    return titles;
  }

  /** All polls in the order in which they began. */
  List<Poll> polls() {
    Map<String, List<Request>> byPoll = log.stream().collect(Collectors.groupingBy(Request::poll));
    return byPoll.values().stream()
        .map(ScriptedTracker::whole)
        .sorted(Comparator.comparingLong(Poll::begin))
        .toList();
  }

  /** How many polls have begun; cheap. */
  int begun() {
    return answers.size();
  }

  private static Poll whole(Collection<Request> requests) {
    Request any = requests.iterator().next();
    return new Poll(
        any.poll(),
        any.who(),
        requests.stream().mapToLong(Request::begin).min().orElseThrow(),
        requests.stream().mapToLong(Request::end).max().orElseThrow());
  }

  private void answer(HttpExchange exchange) throws IOException {
    long begin = System.nanoTime();
    Map<String, String> asked =
        Arrays.stream(exchange.getRequestURI().getQuery().split("&"))
            .map(pair -> pair.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    String poll = String.valueOf(asked.get("poll"));
    String who = String.valueOf(asked.get("who"));
    Instant since = Instant.parse(String.valueOf(asked.get("since")));
    int from = Integer.parseInt(String.valueOf(asked.get("page"))) * PAGE;
    List<Issue> answer = answers.computeIfAbsent(poll, id -> changedSince(since));
    arrived.accept(who);
    int to = Math.min(from + PAGE, answer.size());
    var page = new Page(answer.subList(Math.min(from, to), to), to == answer.size());
    byte[] body = RecordJson.bytes(page);
    // Before it is sent: a request that comes after the answer begins after it.
    log.add(new Request(poll, who, begin, System.nanoTime()));
    try (exchange) {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private List<Issue> changedSince(Instant since) {
    var changed = new ArrayList<Issue>();
    issues.values().stream()
        .filter(issue -> !issue.changedAt().isBefore(since))
        .sorted(Comparator.comparing(Issue::changedAt))
        .forEach(changed::add);
    return changed;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
