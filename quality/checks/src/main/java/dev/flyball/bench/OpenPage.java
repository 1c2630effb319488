package dev.flyball.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Asks for what a browser on <em>Now</em> asks for: the page, its stream of changes, and the part
 * of the page that each change replaces.
 */
final class OpenPage implements AutoCloseable {
  private final URI console;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger changes = new AtomicInteger();
  private final CompletableFuture<Void> reading;

  OpenPage(URI console) throws IOException, InterruptedException {
    this.console = console;
    http.send(request("/"), HttpResponse.BodyHandlers.ofString());
    HttpResponse<Stream<String>> stream =
        http.send(request("/events"), HttpResponse.BodyHandlers.ofLines());
    reading =
        CompletableFuture.runAsync(() ->
            stream.body().filter(line -> line.equals("event: changed")).forEach(line -> refresh()));
  }

  /** Fails unless the page was refreshed and its stream is still open. */
  void check() {
    if (changes.get() == 0 || reading.isDone()) {
      throw new AssertionError("the page was not refreshed: " + reading);
    }
  }

  private void refresh() {
    try {
      var part = http.send(request("/?part=live&page=0"), HttpResponse.BodyHandlers.ofString());
      if (part.statusCode() == 200) {
        changes.incrementAndGet();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(console.resolve(path)).build();
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
