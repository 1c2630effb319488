package dev.flyball.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The smallest source that passes the suite: pages of items by number, all of them each time. */
final class ExampleSource implements Source {
  private final TrackerHttp http;

  ExampleSource(URI url, Credential token) {
    this.http =
        new TrackerHttp(
            url,
            () -> Tokens.header(token, "Authorization", secret -> "Bearer " + secret),
            InstantSource.system());
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    int before = http.requests();
    var items = new LinkedHashMap<ItemKey, RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    long newest = cursor == null ? 0 : Long.parseLong(cursor);
    try {
      String next = "/items?page=1";
      long number = 0;
      while (!next.isEmpty()) {
        TrackerResponse answer = http.get(next, permission);
        if (!answer.json().path("items").isArray()) {
          throw new SourceFailure(
              TrackerFailure.Category.MALFORMED, "the answer has no list of items; check the url");
        }
        for (JsonNode record : answer.json().path("items")) {
          number++;
          if (!record.path("id").isInt()) {
            invalid.add(new PollResult.Unread("items", number, "no id", record.toString()));
            continue;
          }
          RawItem item = item(record, number);
          items.put(item.key(), item);
          newest = Math.max(newest, record.path("id").asInt());
        }
        next = answer.json().path("next").asText();
      }
      return new PollResult.Read(
          List.copyOf(items.values()),
          invalid,
          (int) number,
          Long.toString(newest),
          http.requests() - before,
          Duration.ZERO);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  private static RawItem item(JsonNode record, long number) {
    return RawItem.of(new ItemKey("default", "example", record.path("id").asText()), "a title")
        .type("bug")
        .state("open")
        .at(number)
        .build();
  }
}
