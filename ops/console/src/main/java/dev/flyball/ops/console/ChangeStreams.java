package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.access.ViewerPlaces;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events that say "the projection has changed"; a page then asks for its fragment. One
 * thread asks the file for all streams, and only while there is one. Any thread.
 */
final class ChangeStreams {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeStreams.class);
  private static final Duration POLL = Duration.ofMillis(200);

  /** A page hears of at most one change in this time: more would only cost. */
  private static final Duration PACE = Duration.ofMillis(400);

  /** A stream without changes shows in this time that it lives, and notices a closed browser. */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

  private final Path data;
  private final Function<HttpExchange, Viewer> viewers;
  private final ViewerPlaces places;
  private final Duration keepAlive;
  private final AtomicInteger open = new AtomicInteger();

  /** How many changes were seen, and whether a thread looks; guarded by this object's monitor. */
  private long changes;

  private boolean watching;

  /**
   * For the projection in a data folder.
   *
   * @param most streams at a time; a further one gets 503
   * @param viewers who sends a request; asked again while the stream is open
   */
  ChangeStreams(Path data, int most, Function<HttpExchange, Viewer> viewers) {
    this(data, most, viewers, KEEP_ALIVE);
  }

  ChangeStreams(Path data, int most, Function<HttpExchange, Viewer> viewers, Duration keepAlive) {
    this.data = data;
    this.viewers = viewers;
    this.places = new ViewerPlaces(most);
    this.keepAlive = keepAlive;
  }

  /** Writes the stream until the browser closes it. */
  void answer(HttpExchange exchange) throws IOException {
    Viewer viewer = viewers.apply(exchange);
    if (!places.take(viewer)) {
      exchange.getResponseHeaders().set("Retry-After", "30");
      AdminServer.answer(exchange, 503, "text/plain; charset=utf-8", "too many open pages\n");
      return;
    }
    open.incrementAndGet();
    try {
      begin(exchange);
      write(exchange, viewer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.decrementAndGet();
      places.give(viewer);
    }
  }

  /** The head of a stream of events. */
  static void begin(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.sendResponseHeaders(200, 0);
  }

  /** Writes until the browser closes the stream, or its viewer may no longer read. */
  private void write(HttpExchange exchange, Viewer viewer)
      throws IOException, InterruptedException {
    OutputStream out = exchange.getResponseBody();
    send(out, "retry: 2000\n\n");
    long seen = next(Long.MIN_VALUE);
    long asked = System.nanoTime();
    while (true) {
      long now = next(seen);
      if (now == seen || System.nanoTime() - asked > keepAlive.toNanos()) {
        if (!PageFrame.stays(viewers, exchange, viewer)) {
          return;
        }
        asked = System.nanoTime();
      }
      send(out, now == seen ? ": alive\n\n" : "event: changed\ndata: " + now + "\n\n");
      seen = now;
    }
  }

  /** The number of changes, once it differs or the time is over. */
  private synchronized long next(long seen) throws InterruptedException {
    if (!watching) {
      watching = true;
      Thread.ofVirtual().name("page-changes").start(this::watch);
    }
    long until = System.nanoTime() + keepAlive.toNanos();
    while (changes == seen) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    return changes;
  }

  /** Asks the file until no stream is open; a file that cannot be read is tried again. */
  private void watch() {
    try {
      while (open.get() > 0) {
        watchFile();
        pause(PACE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        watching = false;
      }
    }
  }

  /** Watches the file until it is replaced or no stream is open. */
  private void watchFile() throws InterruptedException {
    Optional<Object> identity = identity();
    try (var file = ProjectionFile.openForReading(data).orElse(null)) {
      long version = -1;
      while (file != null && open.get() > 0 && identity().equals(identity)) {
        long found = file.first(row -> row.getLong(1), "PRAGMA data_version").orElse(0L);
        if (found != version) {
          version = found;
          changed();
          pause(PACE);
        } else {
          pause(POLL);
        }
      }
    } catch (SQLException | StartFailure e) {
      LOG.debug("the projection cannot be read: {}", e.getMessage());
    }
  }

  private Optional<Object> identity() {
    try {
      return ProjectionFile.identity(data);
    } catch (StartFailure e) {
      return Optional.empty();
    }
  }

  private synchronized void changed() {
    changes++;
    notifyAll();
  }

  private static void pause(Duration span) throws InterruptedException {
    Thread.sleep(span);
  }

  private static void send(OutputStream out, String text) throws IOException {
    AdminServer.write(out, text);
  }
}
