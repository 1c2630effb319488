package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.output.SessionOutput.Place;
import dev.flyball.ops.console.page.Display;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.KafkaException;

/**
 * A session's output: the newest lines as a page, and a stream of those that follow. Each reader
 * holds a Kafka consumer, so their number is bounded. Any thread.
 */
final class LogRoutes {
  private static final int READERS = 16;
  private static final String SHARED = ", at most " + READERS + " are read";
  private static final int NEWEST = 500;

  private static final Duration READ = Duration.ofSeconds(5);

  private static final Duration POLL = Duration.ofMillis(500);

  /** Whether the session still lives is asked this often. */
  private static final Duration ASK = Duration.ofSeconds(2);

  private final ConsoleConfig config;
  private final KafkaClients clients;
  private final Semaphore readers = new Semaphore(READERS);

  LogRoutes(ConsoleConfig config, KafkaClients clients) {
    this.config = config;
    this.clients = clients;
  }

  /** Answers the page of a session, or its stream where {@code follow} is in the query. */
  void answer(PageFrame.Request request, ConsoleView view) throws IOException {
    List<KnownSession> known = view.sessions(request.value("session"));
    if (known.size() != 1) {
      request.failure(404, "No such session", "No session that you may see has this id.");
      return;
    }
    KnownSession session = known.getFirst();
    boolean follows = request.query().containsKey("follow");
    if (!readers.tryAcquire()) {
      request.exchange().getResponseHeaders().set("Retry-After", "30");
      request.failure(503, "Too many logs are open", "Close one" + SHARED + ".");
      return;
    }
    try {
      if (follows) {
        follow(request, session);
      } else {
        page(request, session);
      }
    } finally {
      readers.release();
    }
  }

  /** Answers a part of a session's output as JSON, for programs. */
  void part(HttpExchange exchange, Viewer viewer) throws IOException {
    Map<String, String> query = RequestBody.query(exchange);
    String after = query.get("after");
    Place from =
        after == null
            ? null
            : Place.parse(after)
                .orElseThrow(() -> new HttpProblem(422, "after is no place in an output"));
    KnownSession session;
    try (ConsoleView view = config.view(viewer)) {
      session =
          ConsoleRoutes.session(view, query)
              .orElseThrow(() -> new HttpProblem(404, "there is no such session"));
    }
    if (!readers.tryAcquire()) {
      exchange.getResponseHeaders().set("Retry-After", "30");
      throw new HttpProblem(503, "too many logs are open; close one" + SHARED);
    }
    OutputPart part;
    try (var output = SessionOutput.open(clients, session.session(), session.since(), from)) {
      part = output.part(session, query.containsKey("wait"));
    } catch (KafkaException | BrokerUnreachable e) {
      throw new HttpProblem(503, "Kafka does not answer: " + e.getMessage());
    } finally {
      readers.release();
    }
    AdminServer.answer(exchange, 200, "application/json", RecordJson.write(part) + "\n");
  }

  private void page(PageFrame.Request request, KnownSession session) throws IOException {
    var newest = new Newest();
    String problem = "";
    String place = "";
    try (var output = SessionOutput.open(clients, session.session(), session.since(), null)) {
      newest.readToEnd(output);
      place = output.place().toString();
    } catch (KafkaException | BrokerUnreachable e) {
      problem = String.valueOf(e.getMessage());
    }
    // The beginning of the id, which commands take.
    String name = OneLine.start(Display.line(session.session(), Display.TITLE), 8);
    request.answer(
        "log",
        "Log of " + name,
        session.live() ? 5 : 0,
        Map.of(
            "session", session,
            "name", name,
            "lines", List.copyOf(newest.lines),
            "count", newest.count,
            "place", place,
            "problem", problem));
  }

  private void follow(PageFrame.Request request, KnownSession session) throws IOException {
    HttpExchange exchange = request.exchange();
    String last = exchange.getRequestHeaders().getFirst("Last-Event-ID");
    Place from = Place.parse(last == null ? request.value("follow") : last).orElse(null);
    try (var output = SessionOutput.open(clients, session.session(), session.since(), from)) {
      ChangeStreams.begin(exchange);
      OutputStream out = exchange.getResponseBody();
      var newest = new Newest();
      newest.readToEnd(output);
      send(out, newest, output.place());
      long asked = System.nanoTime();
      // A session's last lines may arrive after its lease has ended.
      boolean live = true;
      while (live || !output.atEnd()) {
        newest.take(output);
        send(out, newest, output.place());
        if (live && System.nanoTime() - asked > ASK.toNanos()) {
          if (!request.stays()) {
            return;
          }
          // Only a write notices a closed browser.
          AdminServer.write(out, ": alive\n\n");
          live = live(session);
          asked = System.nanoTime();
        }
      }
      AdminServer.write(out, "event: end\ndata: end\n\n");
    } catch (KafkaException | BrokerUnreachable e) {
      if (exchange.getResponseCode() == -1) {
        AdminServer.answer(
            exchange,
            503,
            "text/plain; charset=utf-8",
            "Kafka does not answer: " + e.getMessage() + "\n");
      }
    }
  }

  private void send(OutputStream out, Newest newest, Place next) throws IOException {
    if (newest.lines.isEmpty()) {
      return;
    }
    String markup = PageFrame.render("lines", Map.of("lines", List.copyOf(newest.lines)));
    newest.lines.clear();
    AdminServer.write(
        out,
        "id: " + next + "\nevent: lines\ndata: " + markup.replaceAll("[\\r\\n]+", "") + "\n\n");
  }

  private boolean live(KnownSession session) {
    try (ConsoleView view = ConsoleView.open(config.data()).orElse(null)) {
      return view == null || view.sessions(session.session()).stream().anyMatch(KnownSession::live);
    }
  }

  /** The newest lines that were read, and how many were read in all. One thread. */
  private static final class Newest {
    private final ArrayDeque<OutputLine> lines = new ArrayDeque<>();
    private long count;

    void readToEnd(SessionOutput output) {
      long until = System.nanoTime() + READ.toNanos();
      while (!output.atEnd() && System.nanoTime() < until) {
        take(output);
      }
    }

    void take(SessionOutput output) {
      output
          .poll(POLL)
          .forEach(line -> {
            // Cut before it is kept: a page has many lines, and one may have 64 Ki characters.
            String text = Display.line(line.line(), Display.LINE);
            lines.add(new OutputLine(line.at(), line.stream(), text));
            count++;
            if (lines.size() > NEWEST) {
              lines.remove();
            }
          });
    }
  }
}
