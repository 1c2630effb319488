package dev.flyball.ops.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.page.Chrome;
import dev.flyball.ops.console.page.Display;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.RequestBody;
import dev.flyball.ops.telemetry.StartFailure;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What every page needs: its query, the viewer, the frame around it, and the headers. */
final class PageFrame {
  /** Browsers run and load only what this server serves, and send forms only to it. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src"
          + " 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  /** Compiled with the module; they escape every text by its place in the markup. */
  private static final TemplateEngine TEMPLATES =
      TemplateEngine.createPrecompiled(
          null,
          ContentType.Html,
          PageFrame.class.getClassLoader(),
          "dev.flyball.ops.console.template");

  private final ConsoleConfig config;
  private final InstantSource clock;
  private final Function<HttpExchange, Viewer> viewers;
  private final Topics topics;
  private final String broker;
  private final Supplier<HealthReport> health;

  /** When each condition was first seen, by its cause. */
  private final Map<String, Instant> since = new ConcurrentHashMap<>();

  PageFrame(
      ConsoleConfig config,
      InstantSource clock,
      Function<HttpExchange, Viewer> viewers,
      Topics topics,
      String broker,
      Supplier<HealthReport> health) {
    this.config = config;
    this.clock = clock;
    this.viewers = viewers;
    this.topics = topics;
    this.broker = broker;
    this.health = health;
  }

  /** A route of this exact path that reads the projection. */
  HttpHandler page(String path, Page page) {
    return exchange -> {
      var request = new Request(exchange);
      if (!request.path().equals(path)) {
        request.failure(
            404,
            "Page not found",
            "No page has the address " + Display.line(request.path(), Display.TITLE) + ".");
        return;
      }
      try (ConsoleView view =
          ConsoleView.open(config.data(), TenantScope.of(request.viewer())).orElse(null)) {
        if (view == null) {
          request.failure(503, "Starting", "The console has not read Kafka yet.");
        } else {
          page.write(request, view);
        }
      } catch (StartFailure e) {
        request.failure(500, "The projection cannot be read", String.valueOf(e.getMessage()));
      }
    };
  }

  /** Answers one page. */
  interface Page {
    void write(Request request, ConsoleView view) throws IOException;
  }

  /** One request and its answer; one thread. */
  final class Request {
    private final HttpExchange exchange;
    private final Map<String, String> query;
    private final Viewer viewer;

    private Request(HttpExchange exchange) {
      this.exchange = exchange;
      this.viewer = viewers.apply(exchange);
      this.query = RequestBody.query(exchange);
    }

    Viewer viewer() {
      return viewer;
    }

    HttpExchange exchange() {
      return exchange;
    }

    /** The address without its query. */
    String path() {
      return exchange.getRequestURI().getPath();
    }

    Map<String, String> query() {
      return query;
    }

    /** A value of the query; empty if it is absent. */
    String value(String name) {
      return query.getOrDefault(name, "");
    }

    /** The place after which a list begins; null for its start. */
    @Nullable String after() {
      return value("after").isEmpty() ? null : value("after");
    }

    /** A number of the query, at least 0; 0 if it is absent or none. */
    int number(String name) {
      String digits = value(name);
      return digits.matches("[0-9]{1,6}") ? Integer.parseInt(digits) : 0;
    }

    /** Writes a whole page. */
    void answer(String template, String title, int refresh, Map<String, Object> parameters)
        throws IOException {
      write(200, template, chrome(title, refresh, Receipt.take(exchange)), parameters);
    }

    /** Whether only the part that changes is asked for; it is written as a fragment. */
    boolean partOnly() {
      return value("part").equals("live");
    }

    /** Writes the part of a page that replaces an older one, with the state of the header. */
    void fragment(String template, Map<String, Object> parameters) throws IOException {
      var all = new HashMap<>(parameters);
      all.put("apart", true);
      write(200, template, chrome("", 0, null), all);
    }

    /** Writes a page that says what is wrong. */
    void failure(int status, String headline, String detail) throws IOException {
      write(
          status,
          "failure",
          chrome(headline, status == 503 ? 2 : 0, Receipt.take(exchange)),
          Map.of("headline", headline, "detail", detail));
    }

    private void write(int status, String template, Chrome chrome, Map<String, Object> parameters)
        throws IOException {
      var all = new HashMap<>(parameters);
      all.put("chrome", chrome);
      all.put("topics", topics);
      exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
      AdminServer.answer(exchange, status, "text/html; charset=utf-8", render(template, all));
    }

    private Chrome chrome(String title, int refresh, @Nullable Receipt receipt) {
      HealthReport report = health.get();
      List<String> causes = report.reasons().stream().map(Health.Condition::cause).toList();
      since.keySet().retainAll(causes);
      causes.forEach(it -> since.putIfAbsent(it, clock.instant()));
      return new Chrome(
          Display.line(title, Display.TITLE),
          back(),
          report.status(),
          // They name sources, items and pauses of every tenant.
          viewer.mayEverywhere(AccessRole.VIEWER) ? report.reasons() : List.of(),
          Map.copyOf(since),
          report.notes(),
          receipt,
          viewer,
          ConsoleAccess.signedIn(exchange),
          broker,
          clock.instant(),
          refresh);
    }

    /** This page's address without what belongs to one answer only. */
    private String back() {
      String path = exchange.getRequestURI().getRawPath();
      String raw = exchange.getRequestURI().getRawQuery();
      String kept =
          Stream.of(raw == null ? new String[0] : raw.split("&"))
              .filter(pair -> !pair.startsWith("part="))
              .collect(Collectors.joining("&"));
      return kept.isEmpty() ? path : path + "?" + kept;
    }
  }

  /** The markup of a template with these parameters. */
  static String render(String template, Map<String, Object> parameters) {
    var output = new StringOutput();
    TEMPLATES.render(template + ".jte", parameters, output);
    return output.toString();
  }
}
