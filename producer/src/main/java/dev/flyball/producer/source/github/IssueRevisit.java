package dev.flyball.producer.source.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.RawItem;
import dev.flyball.producer.source.Revisited;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.http.Answer;
import dev.flyball.producer.source.http.TrackerHttp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at issues one by one. */
final class IssueRevisit {
  private static final int MOVED = 301;

  /** Deleted, or moved to another repository; or the repository itself is, which is asked then. */
  private static final Set<Integer> GONE = Set.of(MOVED, 404, 410);

  private final TrackerHttp http;
  private final String path;
  private final Leave leave;
  private Duration pause = Duration.ZERO;

  IssueRevisit(TrackerHttp http, String path, Leave leave) {
    this.http = http;
    this.path = path;
    this.leave = leave;
  }

  /**
   * What became of them.
   *
   * @throws SourceFailure if that cannot be said of all
   */
  Revisited.Seen of(List<ItemKey> keys) {
    int before = http.requests();
    var items = new ArrayList<RawItem>();
    var gone = new HashSet<ItemKey>();
    for (ItemKey key : keys) {
      Answer answer = ask("/" + key.id(), GONE);
      var issue = GitHubIssue.of(answer.json());
      if (GONE.contains(answer.status()) || issue.pullRequest()) {
        gone.add(key);
      } else {
        items.add(item(issue, key, items.size() + 1));
      }
    }
    if (!gone.isEmpty()) {
      checkRepository();
    }
    return new Revisited.Seen(items, gone, http.requests() - before);
  }

  /**
   * To a token that may not see the repository any more all issues look gone, and in one that was
   * renamed all look moved; then nothing is said of any of them.
   */
  private void checkRepository() {
    if (ask("?state=all&per_page=1", Set.of(MOVED)).status() == MOVED) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "GitHub: " + path + " moved; set the source's repository to its new name");
    }
  }

  private Answer ask(String what, Set<Integer> expected) {
    if (pause.isPositive()) {
      throw new SourceFailure(
          new Failure(
              Category.RATE_LIMITED,
              "GitHub: the limit is used up; asked again in "
                  + pause.toSeconds()
                  + " s; an account of its own has a limit of its own",
              pause),
          null);
    }
    Answer answer = http.get(path + what, Map.of(), expected, leave);
    pause = answer.retryAfter();
    return answer;
  }

  private static RawItem item(GitHubIssue issue, ItemKey key, long at) {
    try {
      return issue.item(key.tenant(), key.source(), at);
    } catch (UnreadableRecord e) {
      throw new SourceFailure(
          Category.MALFORMED, "GitHub: asked for " + key + " it answered " + e.getMessage());
    }
  }
}
