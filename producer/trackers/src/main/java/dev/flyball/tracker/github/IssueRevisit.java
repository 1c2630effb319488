package dev.flyball.tracker.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListedSource.Existing;
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
  private final SourceConfig.GitHub config;

  /** The last answers; written and read by the one polling thread. */
  private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();

  IssueRevisit(TrackerHttp http, SourceConfig.GitHub config) {
    this.http = http;
    this.path = GitHubSource.issues(config);
    this.config = config;
  }

  /**
   * The current state of these issues.
   *
   * @throws SourceFailure if one of them cannot be requested
   */
  Existing of(List<ItemKey> keys, RequestPermission permission) {
    var issues = new ArrayList<ChangedEntry>();
    var gone = new HashSet<ItemKey>();
    for (ItemKey key : keys) {
      Optional<ChangedEntry> issue =
          NUMBER.matcher(key.id()).matches() ? now(key.id(), permission) : Optional.empty();
      if (issue.isEmpty() || issue.get().content() instanceof ChangedEntry.Other) {
        gone.add(key);
      } else {
        issues.add(issue.get());
      }
    }
    if (!gone.isEmpty()) {
      checkRepository(permission);
    }
    return new Existing(issues, gone);
  }

  private Optional<ChangedEntry> now(String number, RequestPermission permission) {
    Kept same = kept.remove(number);
    TrackerResponse answer = ask("/" + number, same == null ? "" : same.tag(), GONE, permission);
    if (GONE.contains(answer.status())) {
      return Optional.empty();
    }
    if (answer.status() == 304 && same != null) {
      kept.put(number, same);
      return Optional.of(same.issue());
    }
    ChangedEntry issue = GitHubIssue.read(answer.json(), config);
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
  private void checkRepository(RequestPermission permission) {
    if (ask("?state=all&per_page=1", "", Set.of(MOVED), permission).status() == MOVED) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "GitHub: " + path + " moved; set the source's repository to its new name");
    }
  }

  private TrackerResponse ask(
      String what, String tag, Set<Integer> expected, RequestPermission permission) {
    Map<String, String> condition = tag.isEmpty() ? Map.of() : Map.of("If-None-Match", tag);
    return http.getBesidePoll(path + what, condition, expected, permission);
  }

  private record Kept(String tag, ChangedEntry issue) {}
}
