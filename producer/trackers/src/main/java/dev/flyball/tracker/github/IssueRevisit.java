package dev.flyball.tracker.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks issues one by one. Each request is conditional, so that unchanged issues do not use up the
 * rate limit.
 */
final class IssueRevisit {
  private static final int MOVED = 301;

  /**
   * The issue was deleted, or moved to another repository. The repository itself may also have been
   * deleted or moved, which a separate request checks.
   */
  private static final Set<Integer> GONE = Set.of(MOVED, 404, 410);

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

  /** More than wait and run at the same time; a dropped one costs one request of the rate limit. */
  private static final int MOST_KEPT = 500;

  private final TrackerHttp http;
  private final String path;

  /** The last answers; written and read by the one polling thread. */
  private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();

  IssueRevisit(TrackerHttp http, String path) {
    this.http = http;
    this.path = path;
  }

  /**
   * The current state of these issues.
   *
   * @throws SourceFailure if one of them cannot be requested
   */
  Revisited.Seen of(List<ItemKey> keys, RequestPermission permission) {
    int before = http.requests();
    var asking = new Asking(permission);
    var items = new ArrayList<RawItem>();
    var gone = new HashSet<ItemKey>();
    for (ItemKey key : keys) {
      Optional<GitHubIssue> issue =
          NUMBER.matcher(key.id()).matches() ? now(key.id(), asking) : Optional.empty();
      if (issue.isEmpty() || issue.get().pullRequest()) {
        gone.add(key);
      } else {
        item(issue.get(), key, items.size() + 1).ifPresent(items::add);
      }
    }
    if (!gone.isEmpty()) {
      checkRepository(asking);
    }
    return new Revisited.Seen(items, gone, http.requests() - before);
  }

  private Optional<GitHubIssue> now(String number, Asking asking) {
    Kept same = kept.remove(number);
    TrackerResponse answer = asking.ask("/" + number, same == null ? "" : same.tag(), GONE);
    if (GONE.contains(answer.status())) {
      return Optional.empty();
    }
    if (answer.status() == 304 && same != null) {
      kept.put(number, same);
      return Optional.of(same.issue());
    }
    var issue = GitHubIssue.of(answer.json());
    answer.headers().firstValue("ETag").ifPresent(tag -> keep(number, new Kept(tag, issue)));
    return Optional.of(issue);
  }

  private void keep(String number, Kept answer) {
    kept.put(number, answer);
    if (kept.size() > MOST_KEPT) {
      kept.pollFirstEntry();
    }
  }

  /**
   * Fails if the repository itself cannot be seen or was renamed: all its issues then look deleted
   * or moved, and none of them may be reported as such.
   */
  private void checkRepository(Asking asking) {
    if (asking.ask("?state=all&per_page=1", "", Set.of(MOVED)).status() == MOVED) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "GitHub: " + path + " moved; set the source's repository to its new name");
    }
  }

  /** An issue that exists but cannot be read is left out, so that the others do not wait for it. */
  private static Optional<RawItem> item(GitHubIssue issue, ItemKey key, long at) {
    try {
      return Optional.of(issue.item(key.tenant(), key.source(), at));
    } catch (UnreadableRecord e) {
      return Optional.empty();
    }
  }

  /** The requests of one check. */
  private final class Asking {
    private final RequestPermission permission;
    private Duration pause = Duration.ZERO;

    Asking(RequestPermission permission) {
      this.permission = permission;
    }

    TrackerResponse ask(String what, String tag, Set<Integer> expected) {
      if (pause.isPositive()) {
        throw new SourceFailure(
            new TrackerFailure(
                Category.RATE_LIMITED,
                "GitHub: rate limit exhausted; asked again in "
                    + pause.toSeconds()
                    + " s; a separate account has a separate limit",
                pause),
            null);
      }
      Map<String, String> condition = tag.isEmpty() ? Map.of() : Map.of("If-None-Match", tag);
      TrackerResponse answer = http.get(path + what, condition, expected, permission);
      pause = answer.retryAfter();
      return answer;
    }
  }

  private record Kept(String tag, GitHubIssue issue) {}
}
