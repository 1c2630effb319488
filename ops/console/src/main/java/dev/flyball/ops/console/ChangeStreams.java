package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Server-sent events: "the projection has changed"; a page then asks for its fragment. */
final class ChangeStreams {
  private static final Duration POLL = Duration.ofMillis(200);

  /** A page hears of at most one change in this time: more would only cost. */
  private static final Duration PACE = Duration.ofMillis(400);

  /** A stream without changes shows in this time that it lives, and notices a closed browser. */
  static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

  private final LongSupplier commits;
  private final Function<HttpExchange, Viewer> viewers;
  private final Semaphore places;
  private final Duration keepAlive;

  /**
   * Opens nothing.
   *
   * @param commits how often the projection was changed
   * @param most streams at a time; a further one gets 503
   * @param viewers who sends a request; asked again while the stream is open
   */
  ChangeStreams(
      LongSupplier commits, int most, Function<HttpExchange, Viewer> viewers, Duration keepAlive) {
    this.commits = commits;
    this.viewers = viewers;
    this.places = new Semaphore(most);
    this.keepAlive = keepAlive;
  }

  /** Writes the stream until the browser closes it. */
  void answer(HttpExchange exchange) throws IOException {
    Viewer viewer = viewers.apply(exchange);
    if (!places.tryAcquire()) {
      exchange.getResponseHeaders().set("Retry-After", "30");
      AdminServer.answer(exchange, 503, "text/plain; charset=utf-8", "too many open pages\n");
      return;
    }
    try {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      exchange.sendResponseHeaders(200, 0);
      write(exchange, viewer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      places.release();
    }
  }

  /** Writes until the browser closes the stream, or its viewer may no longer read. */
  private void write(HttpExchange exchange, Viewer viewer)
      throws IOException, InterruptedException {
    OutputStream out = exchange.getResponseBody();
    AdminServer.write(out, "retry: 2000\n\n");
    long changes = 0;
    long seen = -1;
    long said = System.nanoTime();
    while (true) {
      long found = commits.getAsLong();
      boolean changed = found != seen;
      if (changed || System.nanoTime() - said > keepAlive.toNanos()) {
        if (!stays(exchange, viewer)) {
          return;
        }
        changes += changed ? 1 : 0;
        String text = changed ? "event: changed\ndata: " + changes : ": alive";
        AdminServer.write(out, text + "\n\n");
        seen = found;
        said = System.nanoTime();
      }
      Thread.sleep(changed ? PACE : POLL);
    }
  }

  /** Whether a request is still that of this viewer: its token is valid, its browser signed in. */
  private boolean stays(HttpExchange exchange, Viewer viewer) {
    try {
      return viewers.apply(exchange).equals(viewer);
    } catch (HttpProblem e) {
      return false;
    }
  }
}
