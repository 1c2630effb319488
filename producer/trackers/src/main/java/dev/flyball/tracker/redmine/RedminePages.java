package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.Failure;
import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.Leave;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.Answer;
import dev.flyball.tracker.http.TrackerHttp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All pages of what changed.
 *
 * @param issues by ascending id
 * @param began the tracker's clock at the first answer
 * @param retryAfter the pause that the tracker asks for
 */
record RedminePages(List<JsonNode> issues, Instant began, Duration retryAfter) {
  RedminePages {
    issues = List.copyOf(issues);
  }

  /**
   * Requests one page after the other.
   *
   * @param since null for everything
   * @throws SourceFailure if one of them fails: then none is used
   */
  static RedminePages read(
      TrackerHttp http, RedmineQuery query, @Nullable Instant since, Leave leave) {
    var issues = new ArrayList<JsonNode>();
    Answer answer = http.get(query.page(since, 0), Map.of(), Set.of(), leave);
    Instant began = clock(answer);
    Duration retryAfter = answer.retryAfter();
    RedminePage page = RedminePage.of(answer.json(), 0);
    issues.addAll(page.issues());
    while (page.more()) {
      mayGoOn(retryAfter);
      long next = page.lastId() + 1;
      answer = http.get(query.page(since, next), Map.of(), Set.of(), leave);
      retryAfter = answer.retryAfter();
      page = RedminePage.of(answer.json(), next);
      issues.addAll(page.issues());
    }
    return new RedminePages(issues, began, retryAfter);
  }

  /** The tracker's clock, not ours: stamps of issues are compared with it. */
  private static Instant clock(Answer answer) {
    String date = answer.headers().firstValue("Date").orElse("");
    try {
      return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      throw new SourceFailure(
          Category.MALFORMED,
          "redmine: an answer without a Date header, so its time is unknown; let the"
              + " proxy before Redmine pass it on");
    }
  }

  /**
   * Fails if the tracker asks for a pause. Hundreds of pages may follow, and a client that goes on
   * asking is rejected or locked out.
   */
  private static void mayGoOn(Duration pause) {
    if (pause.isPositive()) {
      throw new SourceFailure(
          new Failure(
              Category.RATE_LIMITED,
              "redmine: it asks for a pause in the middle of the list; asked again in "
                  + pause.toSeconds()
                  + " s; narrow sources[].query or raise the proxy's limit",
              pause),
          null);
    }
  }
}
