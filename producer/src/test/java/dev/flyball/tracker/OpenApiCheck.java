package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleRequest;
import com.atlassian.oai.validator.report.LevelResolver;
import com.atlassian.oai.validator.report.ValidationReport;
import dev.flyball.testkit.FaultRequest;
import java.util.List;

/**
 * Compares a source's requests, as a server saw them, with a tracker's description of its
 * interface. A parameter that the description does not know is an error too: trackers ignore it
 * silently.
 */
public final class OpenApiCheck {
  private final OpenApiInteractionValidator validator;

  private OpenApiCheck(OpenApiInteractionValidator validator) {
    this.validator = validator;
  }

  /** The check by a file in the folder {@code openapi} of the test resources. */
  public static OpenApiCheck of(String name) {
    String description = TestSources.resource("/openapi/" + name);
    return new OpenApiCheck(
        OpenApiInteractionValidator.createForInlineApiSpecification(description)
            .withLevelResolver(
                LevelResolver.create()
                    .withLevel(
                        "validation.request.parameter.query.unexpected",
                        ValidationReport.Level.ERROR)
                    // GitHub's pages recommend a media type that its description leaves out.
                    .withLevel(
                        "validation.request.accept.notAllowed", ValidationReport.Level.IGNORE)
                    .withLevel(
                        "validation.response.body.schema.required", ValidationReport.Level.IGNORE)
                    // Nor does the cut of GitHub's description name what is not read.
                    .withLevel(
                        "validation.schema.additionalProperties", ValidationReport.Level.IGNORE)
                    .withLevel(
                        "validation.response.body.schema.additionalProperties",
                        ValidationReport.Level.IGNORE)
                    .build())
            .build());
  }

  /**
   * Fails with what is wrong with each request, if anything; a list without any request fails too.
   */
  public void acceptsRequests(List<FaultRequest> requests) {
    assertThat(requests).as("requests to check").isNotEmpty();
    assertThat(requests.stream().flatMap(request -> problems(request).stream())).isEmpty();
  }

  /** The errors of a request, one line each. */
  private List<String> problems(FaultRequest request) {
    var asked = new SimpleRequest.Builder(method(request.method()), request.path());
    request.query().forEach(asked::withQueryParam);
    request.headers().forEach(asked::withHeader);
    if (!request.body().isEmpty()) {
      asked.withBody(request.body());
    }
    return lines(
        validator.validateRequest(asked.build()), request.method() + " " + request.target());
  }

  private static Request.Method method(String method) {
    return Request.Method.valueOf(method);
  }

  private static List<String> lines(ValidationReport report, String where) {
    return report.getMessages().stream()
        .filter(message -> message.getLevel() == ValidationReport.Level.ERROR)
        .map(message -> where + ": " + message.getKey() + ": " + message.getMessage())
        .toList();
  }
}
