package dev.flyball.ops.console;

import static dev.flyball.ops.console.SecuredConsole.ADMIN;
import static dev.flyball.ops.console.SecuredConsole.OPERATOR_A;
import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.ValidationReport;
import dev.flyball.ops.console.projection.SeededProjection;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The description of the HTTP interface, docs/openapi.yaml, is true. */
final class OpenApiTest {
  private static final Path FILE = Path.of("../../docs/openapi.yaml");

  /** What is for programs; pages are for people. */
  private static final Pattern DESCRIBED =
      Pattern.compile("[A-Z]+ /(api/.*|actions/.*|livez|readyz|health|metrics|sign-in|sign-out)");

  @TempDir static Path folder;
  @AutoClose private static SecuredConsole console;

  @BeforeAll
  static void start() {
    SeededProjection.write(folder, "a/s/1", "a/s/2", "b/s/1");
    SeededProjection.history(folder, "a", "b");
    console = SecuredConsole.withoutKafka(folder);
  }

  @Test
  void everyRouteIsDescribedAndEveryDescribedRouteExists() throws IOException {
    var described = new TreeSet<String>();
    String path = "";
    for (String line : Files.readAllLines(FILE)) {
      if (line.startsWith("components:")) {
        break;
      } else if (line.matches(" {2}/.*:")) {
        path = line.strip().replace(":", "");
      } else if (line.matches(" {4}(get|post):")) {
        described.add(line.strip().replace(":", "").toUpperCase(Locale.ROOT) + " " + path);
      }
    }

    assertThat(described)
        .containsExactlyElementsOf(
            console.server.routes().stream().filter(DESCRIBED.asMatchPredicate()).toList());
  }

  @Test
  void answersAreAsTheyAreDescribed() throws IOException {
    OpenApiInteractionValidator description =
        OpenApiInteractionValidator.createForInlineApiSpecification(Files.readString(FILE)).build();
    for (String path :
        List.of(
            "/livez",
            "/readyz",
            "/health",
            "/metrics",
            "/sign-in",
            "/api/ps",
            "/api/summary",
            "/api/items",
            "/api/items?state=x",
            "/api/keys?id=1",
            "/api/keys",
            "/api/item?key=a/s/1",
            "/api/item?key=none",
            "/api/why?key=a/s/1",
            "/api/why?key=none",
            "/api/analysis?key=a/s/1",
            "/api/log",
            "/api/log?session=none",
            "/api/log?session=session-of-a&after=x",
            "/api/sessions",
            "/api/sessions?limit=0",
            "/api/dead-letters",
            "/api/actions",
            "/api/sources",
            "/api/polls?source=a/s",
            "/api/polls",
            "/api/polls?source=s",
            "/api/spend",
            "/api/budget?scope=tenant:a",
            "/api/budget?scope=tenants",
            "/api/caps")) {
      check(description, Request.Method.GET, path, console.get(path, ADMIN));
    }
    check(description, Request.Method.GET, "/api/ps", console.get("/api/ps", null));
    for (String body : List.of("{}", "[]", "{\"do\":\"skip\",\"confirm\":9}")) {
      check(
          description,
          Request.Method.POST,
          "/actions/items",
          console.post("/actions/items", OPERATOR_A, body));
    }
  }

  private static void check(
      OpenApiInteractionValidator description,
      Request.Method method,
      String path,
      HttpResponse<String> answer) {
    var shown =
        new SimpleResponse.Builder(answer.statusCode())
            .withContentType(answer.headers().firstValue("Content-Type").orElse(""))
            .withBody(answer.body())
            .build();
    ValidationReport report =
        description.validateResponse(path.replaceAll("\\?.*", ""), method, shown);
    assertThat(report.getMessages()).as("%s of %s", answer.statusCode(), path).isEmpty();
  }
}
