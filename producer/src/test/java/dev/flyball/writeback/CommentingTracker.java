package dev.flyball.writeback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.Sources;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.http.TrackerLimits;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One item with its comments, as a tracker shows and takes them; a test can act as any account. It
 * rejects unknown requests.
 */
final class CommentingTracker implements AutoCloseable {
  static final String US = "7";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Kind kind;
  private final FaultServer server = FaultServer.http();
  private final List<Written> comments = new ArrayList<>();

  CommentingTracker(Kind kind) {
    this.kind = kind;
    server.otherwise(this::answer);
  }

  /** A new source that asks the tracker. */
  Comments comments() {
    var none = new Credential.None();
    String query = "SELECT [System.Id] FROM WorkItems";
    SourceConfig config =
        switch (kind) {
          case GITHUB -> TestSources.gitHub(server.url(), none);
          case GITLAB -> TestSources.gitLab(server.url(), none);
          case JIRA -> TestSources.jira(server.url(), null, none);
          case AZURE_DEVOPS -> TestSources.azure(server.url() + "/org/project", query, none);
          case REDMINE -> TestSources.redmine(server.url(), none);
        };
    return Sources.open(config, InstantSource.system(), new TrackerLimits()).writer().orElseThrow();
  }

  /** Another account writes a copy of the first comment. */
  void copiedBy(String author) {
    comments.add(new Written(author, comments.getFirst().body()));
  }

  void deleteFirst() {
    comments.removeFirst();
  }

  /** The authors of the comments, oldest first. */
  List<String> authors() {
    return comments.stream().map(Written::author).toList();
  }

  /** The number of requests for our account. */
  long asked() {
    return server.requests().stream().filter(it -> it.path().equals(kind.identity)).count();
  }

  private FaultReply answer(FaultRequest request) {
    String path = request.path();
    if (path.equals(kind.identity)) {
      return FaultReply.json(kind.account().toString());
    }
    boolean whole = path.equals(kind.list);
    if (request.method().equals("GET") && whole) {
      return FaultReply.json(listed().toString());
    }
    if (whole) {
      comments.add(new Written(US, written(request)));
      ObjectNode made = shown(comments.size() - 1);
      return kind == Kind.REDMINE
          ? FaultReply.status(204, Map.of())
          : FaultReply.json(201, made.toString());
    }
    if (path.startsWith(kind.one)) {
      int at = Integer.parseInt(path.substring(kind.one.length()).replaceAll("[^0-9].*", ""));
      if (!comments.get(at).author().equals(US)) {
        return FaultReply.json(403, "{\"message\":\"not yours\"}");
      }
      comments.set(at, new Written(US, written(request)));
      return FaultReply.json(shown(at).toString());
    }
    return FaultReply.json(404, "{}");
  }

  private JsonNode written(FaultRequest request) {
    JsonNode sent =
        RecordJson.read(request.body().getBytes(StandardCharsets.UTF_8), JsonNode.class);
    JsonNode inner = sent.has("issue") ? sent.path("issue") : sent;
    return (inner.has("journal") ? inner.path("journal") : inner).path(kind.text);
  }

  private JsonNode listed() {
    ArrayNode all = JSON.arrayNode();
    for (int i = 0; i < comments.size(); i++) {
      all.add(shown(i));
    }
    return switch (kind) {
      case GITHUB, GITLAB -> all;
      case JIRA -> JSON.objectNode().put("total", comments.size()).set("comments", all);
      case AZURE_DEVOPS -> JSON.objectNode().set("comments", all);
      case REDMINE -> JSON.objectNode().set("issue", JSON.objectNode().set("journals", all));
    };
  }

  private ObjectNode shown(int at) {
    ObjectNode one = JSON.objectNode().put("id", at);
    one.set(kind.author, JSON.objectNode().put(kind.id, comments.get(at).author()));
    one.set(kind.text, comments.get(at).body());
    return one;
  }

  @Override
  public void close() {
    server.close();
  }

  private record Written(String author, JsonNode body) {}

  /** The types of trackers, with the places of their data. */
  enum Kind {
    GITHUB(
        "/user",
        "/repos/acme/web/issues/12/comments",
        "/repos/acme/web/issues/comments/",
        "user.id",
        "body"),
    GITLAB(
        "/api/v4/user",
        "/api/v4/projects/acme%2Fweb/issues/12/notes",
        "/api/v4/projects/acme%2Fweb/issues/12/notes/",
        "author.id",
        "body"),
    JIRA(
        "/rest/api/3/myself",
        "/rest/api/3/issue/12/comment",
        "/rest/api/3/issue/12/comment/",
        "author.accountId",
        "body"),
    AZURE_DEVOPS(
        "/org/_apis/connectionData",
        "/org/project/_apis/wit/workItems/12/comments",
        "/org/project/_apis/wit/workItems/12/comments/",
        "createdBy.id",
        "text"),
    REDMINE("/users/current.json", "/issues/12.json", "/journals/", "user.id", "notes");

    private final String identity;
    private final String list;
    private final String one;
    private final String author;
    private final String id;
    private final String text;

    Kind(String identity, String list, String one, String author, String text) {
      this.identity = identity;
      this.list = list;
      this.one = one;
      this.author = author.substring(0, author.indexOf('.'));
      this.id = author.substring(author.indexOf('.') + 1);
      this.text = text;
    }

    private JsonNode account() {
      ObjectNode answer = JSON.objectNode();
      ObjectNode named =
          switch (this) {
            case GITHUB, GITLAB, JIRA -> answer;
            case AZURE_DEVOPS -> answer.putObject("authenticatedUser");
            case REDMINE -> answer.putObject("user");
          };
      named.put(id, US);
      return answer;
    }
  }
}
