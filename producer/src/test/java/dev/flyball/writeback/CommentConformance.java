package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The requirements on every tracker that takes comments: one is ours by its mark and its author. A
 * tracker's test says where its comments are, and may answer requests for them itself.
 */
public abstract class CommentConformance {
  /** Our account. */
  protected static final String US = "7";

  private static final String SOMEBODY = "66";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The comments of one item, the oldest first. */
  private final List<Written> comments = new ArrayList<>();

  @AutoClose private final FaultServer server = FaultServer.http();
  private int asked;

  /** A comment, with its text as it was sent. */
  public record Written(String author, JsonNode body) {}

  /**
   * Where the comments of an item are.
   *
   * @param item the item's id
   * @param account the path of our account
   * @param id where in its answer our id is
   * @param list the path of the item's comments
   * @param comments where in its answer they are; empty for the answer itself
   * @param one the path of one comment without its number
   * @param author where in a comment its author's id is
   * @param text the field of a comment's text
   */
  public record Places(
      String item,
      String account,
      String id,
      String list,
      String comments,
      String one,
      String author,
      String text) {}

  /** A source that asks at this address. */
  protected abstract SourceConfig config(URI url, Credential token);

  /** The time of its answers. */
  protected Instant now() {
    return Instant.now();
  }

  /** A new source that asks at this address. */
  protected final Source source(URI url, Credential token) {
    return config(url, token).open(this::now, new TrackerLimits());
  }

  /** Where the comments are. */
  protected abstract Places places();

  @BeforeEach
  final void takesComments() {
    server.otherwise(this::comments);
  }

  @Test
  @DisplayName("Write-back: our comment is found again, and a newer analysis edits it")
  final void ourOwnIsFoundAgainAndANewerAnalysisEditsIt() {
    assertThat(deliver(process(), "s-1", 1)).isEqualTo("added");
    assertThat(asked).as("who we are, without a mark").isZero();
    // Another process knows nothing yet.
    CommentDelivery next = process();
    assertThat(deliver(next, "s-1", 1)).isEqualTo("skipped");
    assertThat(deliver(next, "s-2", 2)).isEqualTo("edited");
    assertThat(deliver(next, "s-2", 2)).isEqualTo("skipped");

    assertThat(comments).extracting(Written::author).containsExactly(US);
    assertThat(asked).as("who we are is asked once, not for each item").isOne();
  }

  @Test
  @DisplayName("Write-back: a copy of our comment by another account is ignored")
  final void aCopyOfOursByAnotherAccountIsIgnored() {
    deliver(process(), "s-1", 1);
    comments.set(0, new Written(SOMEBODY, comments.getFirst().body()));
    CommentDelivery next = process();

    assertThat(deliver(next, "s-1", 1)).isEqualTo("added");
    assertThat(deliver(next, "s-2", 2)).isEqualTo("edited");
    assertThat(comments).extracting(Written::author).containsExactly(SOMEBODY, US);
  }

  private CommentDelivery process() {
    return new CommentDelivery(
        source(server.url(), new Credential.None()).writer().orElseThrow(), false);
  }

  private String deliver(CommentDelivery delivery, String session, long offset) {
    var analysis = Sample.analysis("answer", session, "ledger:" + offset);
    var item = new ItemKey("acme", "web", places().item());
    return delivery.deliver(item, analysis, RequestPermission.GRANTED);
  }

  /** The tracker's answer to a request for comments. */
  protected FaultReply comments(FaultRequest request) {
    Places at = places();
    String path = request.path();
    if (path.equals(at.account)) {
      return FaultReply.json(account().toString());
    }
    boolean all = path.equals(at.list);
    if (all && request.method().equals("GET")) {
      return FaultReply.json(nested(at.comments, shown()).toString());
    }
    if (all) {
      return FaultReply.json(201, add(text(request)).toString());
    }
    if (path.startsWith(at.one)) {
      String number = path.substring(at.one.length()).replaceAll("[^0-9].*", "");
      return edit(Integer.parseInt(number), text(request))
          ? FaultReply.status(204, Map.of())
          : FaultReply.json(403, "{\"message\":\"not yours\"}");
    }
    return FaultReply.json(404, "{}");
  }

  private JsonNode text(FaultRequest request) {
    JsonNode text = RecordJson.parse(request.body()).findValue(places().text);
    return text == null ? JSON.nullNode() : text;
  }

  /** Our account was asked for. */
  protected final JsonNode account() {
    asked++;
    return nested(places().id, JSON.textNode(US));
  }

  /** Every comment as the tracker shows it. */
  protected final ArrayNode shown() {
    ArrayNode all = JSON.arrayNode();
    for (int i = 0; i < comments.size(); i++) {
      all.add(shown(i));
    }
    return all;
  }

  /** A new comment of ours. */
  protected final JsonNode add(JsonNode body) {
    comments.add(new Written(US, body));
    return shown(comments.size() - 1);
  }

  /** Edits a comment, if it is ours. */
  protected final boolean edit(int number, JsonNode body) {
    boolean ours = comments.get(number).author().equals(US);
    if (ours) {
      comments.set(number, new Written(US, body));
    }
    return ours;
  }

  private ObjectNode shown(int number) {
    Written one = comments.get(number);
    var shown = (ObjectNode) nested(places().author, JSON.textNode(one.author()));
    shown.put("id", Integer.toString(number));
    shown.set(places().text, one.body());
    return shown;
  }

  /** An answer with a value at this JSON pointer, and a count of comments where it is a list. */
  private static JsonNode nested(String pointer, JsonNode value) {
    int last = pointer.lastIndexOf('/');
    if (last < 0) {
      return value;
    }
    ObjectNode around = JSON.objectNode();
    around.set(pointer.substring(last + 1), value);
    if (value.isArray()) {
      around.put("total", value.size());
    }
    return nested(pointer.substring(0, last), around);
  }
}
