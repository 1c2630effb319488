package dev.flyball.producer.handover;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link ScriptedTracker} as trackers are read: pages, a watermark, an overlap. Its
 * requests have no time limit, so that a frozen producer continues as if nothing had happened. Only
 * the permission of its lease must keep it from asking for the next page.
 */
final class ScriptedSource implements Source {
  private static final Duration OVERLAP = Duration.ofSeconds(20);

  private final String url;
  private final String who;
  private final HttpClient client = HttpClient.newHttpClient();

  ScriptedSource(String url, String who) {
    this.url = url;
    this.who = who;
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    Instant watermark = cursor == null ? Instant.EPOCH : Instant.parse(cursor);
    Instant since = cursor == null ? Instant.EPOCH : watermark.minus(OVERLAP);
    String poll = UUID.randomUUID().toString();
    var items = new ArrayList<RawItem>();
    boolean more = true;
    int page = 0;
    try {
      while (more) {
        ScriptedTracker.Page answer = ask(poll, since, page++, permission);
        for (var issue : answer.issues()) {
          items.add(item(issue));
          watermark = issue.changedAt().isAfter(watermark) ? issue.changedAt() : watermark;
        }
        more = !answer.last();
      }
    } catch (IOException e) {
      throw new SourceFailure(TrackerFailure.Category.UNREACHABLE, "no answer: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    }
    return new PollResult(items, List.of(), watermark.toString(), page);
  }

  private ScriptedTracker.Page ask(
      String poll, Instant since, int page, RequestPermission permission)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    url + "?poll=" + poll + "&who=" + who + "&since=" + since + "&page=" + page))
            .build();
    permission.check();
    byte[] body = client.send(request, HttpResponse.BodyHandlers.ofByteArray()).body();
    return RecordJson.read(body, ScriptedTracker.Page.class);
  }

  private static RawItem item(ScriptedTracker.Issue issue) {
    return RawItem.of(new ItemKey("acme", "scripted", issue.id()), issue.title())
        .type("Bug")
        .state("Active")
        .changed("1", issue.changedAt(), null)
        .build();
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(Instant.parse(cursor).minus(OVERLAP));
  }
}
