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
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.KafkaException;

/**
 * A session's output: the newest lines as a page, those that follow as parts of it, and both for
 * programs. Each reader holds a Kafka consumer, so their number is bounded. Any thread.
 */
final class LogRoutes {
  private static final int READERS = 16;
  private static final String SHARED = ", at most " + READERS + " are read";
  private static final int NEWEST = 500;

  private static final Duration READ = Duration.ofSeconds(5);

  private final ConsoleConfig config;
  private final KafkaClients clients;
  private final Semaphore readers = new Semaphore(READERS);

  LogRoutes(ConsoleConfig config, KafkaClients clients) {
    this.config = config;
    this.clients = clients;
  }

  /**
   * Answers the page of a session. Where a place to {@code follow} is in the query, it answers the
   * lines after it as soon as there are any; a page asks for them again and again.
   */
  void answer(PageFrame.Request request, ConsoleView view) throws IOException {
    List<KnownSession> known = view.sessions(request.value("session"));
    if (known.size() != 1) {
      request.failure(404, "No such session", "No session that you may see has this id.");
      return;
    }
    KnownSession session = known.getFirst();
    boolean follows = request.query().containsKey("follow");
    Place from = Place.parse(request.value("follow")).orElse(null);
    if (!readers.tryAcquire()) {
      request.exchange().getResponseHeaders().set("Retry-After", "30");
      request.failure(503, "Too many logs are open", "Close one" + SHARED + ".");
      return;
    }
    var lines = new ArrayDeque<OutputLine>();
    long count = 0;
    String place = "";
    boolean more = session.live();
    String problem = "";
    try (var output = SessionOutput.open(clients, session, from)) {
      long until = System.nanoTime() + READ.toNanos();
      OutputPart part;
      do {
        part = output.part(session, follows);
        for (OutputLine line : part.lines()) {
          // Cut before it is kept: a page has many lines, and one may have 64 Ki characters.
          String text = Display.line(line.line(), Display.LINE);
          lines.add(new OutputLine(line.at(), line.stream(), text));
          if (lines.size() > NEWEST) {
            lines.remove();
          }
        }
        count += part.lines().size();
      } while (part.more() && System.nanoTime() < until);
      place = part.next();
      more |= part.more() && follows;
    } catch (KafkaException | BrokerUnreachable e) {
      problem = String.valueOf(e.getMessage());
    } finally {
      readers.release();
    }
    // The beginning of the id, which commands take.
    String name = OneLine.start(Display.line(session.session(), Display.TITLE), 8);
    Map<String, Object> page =
        Map.of(
            "session", session,
            "id", session.session(),
            "name", name,
            "lines", List.copyOf(lines),
            "count", count,
            "place", place,
            "more", more,
            "problem", problem);
    if (!follows) {
      request.answer("log", "Log of " + name, session.live() ? 5 : 0, page);
    } else if (problem.isEmpty()) {
      request.fragment("lines", page);
    } else {
      request.failure(503, "The output cannot be read", problem);
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
    try (var output = SessionOutput.open(clients, session, from)) {
      part = output.part(session, query.containsKey("wait"));
    } catch (KafkaException | BrokerUnreachable e) {
      throw new HttpProblem(503, "Kafka does not answer: " + e.getMessage());
    } finally {
      readers.release();
    }
    AdminServer.answer(exchange, 200, "application/json", RecordJson.write(part) + "\n");
  }
}
