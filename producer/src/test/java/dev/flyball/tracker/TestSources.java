package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** One configured source of each kind of tracker, of the tenant {@code acme}. */
public final class TestSources {
  private TestSources() {}

  /** The issues of {@code acme/web}. */
  public static SourceConfig.GitHub gitHub(URI url, Credential token) {
    return new SourceConfig.GitHub(
        identity("github-main"), SourceRules.DEFAULT, url, "acme/web", token);
  }

  /** The issues of {@code acme/web}. */
  public static SourceConfig.GitLab gitLab(URI url, Credential token) {
    return new SourceConfig.GitLab(identity("gitlab"), SourceRules.DEFAULT, url, "acme/web", token);
  }

  /** The issues of the project {@code ED}. */
  public static SourceConfig.Jira jira(URI url, @Nullable String user, Credential token) {
    return jira(url, false, user, token);
  }

  /** The issues of the project {@code ED} of a Data Center. */
  public static SourceConfig.Jira jiraDataCenter(URI url, Credential token) {
    return jira(url, true, null, token);
  }

  private static SourceConfig.Jira jira(
      URI url, boolean dataCenter, @Nullable String user, Credential token) {
    String query = "project = ED ORDER BY rank";
    return new SourceConfig.Jira(
        identity("jira"), SourceRules.DEFAULT, url, dataCenter, query, user, token);
  }

  /** What this query finds in a project. */
  public static SourceConfig.AzureDevOps azure(String project, String query, Credential token) {
    return new SourceConfig.AzureDevOps(
        identity("ado"), SourceRules.DEFAULT, URI.create(project), query, token);
  }

  /** The issues of the project {@code flyball}. */
  public static SourceConfig.Redmine redmine(URI url, Credential token) {
    return redmine(url, "", token);
  }

  /** Those that this query finds. */
  public static SourceConfig.Redmine redmine(URI url, String query, Credential token) {
    return new SourceConfig.Redmine(
        identity("tracker"), SourceRules.DEFAULT, url, "flyball", query, token);
  }

  /** The failure of what is asked. */
  public static TrackerFailure failureOf(ThrowingCallable asking) {
    SourceFailure failure = catchThrowableOfType(SourceFailure.class, asking);
    assertThat(failure).as("a failure").isNotNull();
    return failure.failure();
  }

  /** The text of a file of the test resources. */
  public static String resource(String path) {
    try (InputStream file = TestSources.class.getResourceAsStream(path)) {
      assertThat(file).as(path).isNotNull();
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rules of a source that takes these items. */
  public static SourceRules rules(OptIn optIn) {
    return new SourceRules(
        List.of(), Set.of(), false, SourceRules.DEFAULT_REVISIT, new WriteBack.Off(), optIn);
  }

  /** Rules by which an item changes and is closed. */
  public static SourceRules rules(
      List<String> fields, Set<String> closed, boolean unassignedIsClosed) {
    return new SourceRules(
        fields,
        closed,
        unassignedIsClosed,
        SourceRules.DEFAULT_REVISIT,
        new WriteBack.Off(),
        OptIn.ALL);
  }

  private static SourceConfig.Identity identity(String name) {
    return new SourceConfig.Identity("acme", name, SourceConfig.DEFAULT_INTERVAL);
  }
}
