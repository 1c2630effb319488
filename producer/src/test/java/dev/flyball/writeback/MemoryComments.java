package dev.flyball.writeback;

import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Comments in memory; the first failures are scripted. */
final class MemoryComments implements Comments {
  final Map<String, List<Comment>> comments = new LinkedHashMap<>();
  private final Map<String, Integer> written = new LinkedHashMap<>();
  private final Deque<Category> failures = new ArrayDeque<>();
  volatile int looks;
  volatile boolean down;

  /** How every new comment, and every edit of one, is refused. */
  @Nullable Category adds;

  @Nullable Category edits;

  /** Items of which every request fails, and how. */
  final Map<String, Category> failing = new ConcurrentHashMap<>();

  synchronized void fail(Category category) {
    failures.add(category);
  }

  synchronized int written(String item) {
    return written.getOrDefault(item, 0);
  }

  @Override
  public synchronized List<Comment> written(String item, RequestPermission permission) {
    permission.check();
    looks++;
    refuse(failing.get(item));
    if (!failures.isEmpty()) {
      throw new SourceFailure(failures.poll(), "down");
    }
    return List.copyOf(comments.getOrDefault(item, List.of()));
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return Optional.empty();
  }

  @Override
  public synchronized void check(RequestPermission permission) {
    permission.check();
    if (down) {
      throw new SourceFailure(Category.UNREACHABLE, "down");
    }
  }

  @Override
  public synchronized void add(String item, CommentBody body, RequestPermission permission) {
    refuse(adds);
    var all = comments.computeIfAbsent(item, key -> new ArrayList<>());
    all.add(new Comment(Integer.toString(all.size()), "", body.markdown()));
    written.merge(item, 1, Integer::sum);
  }

  @Override
  public synchronized void edit(
      String item, String comment, CommentBody body, RequestPermission permission) {
    refuse(edits);
    Objects.requireNonNull(comments.get(item))
        .set(Integer.parseInt(comment), new Comment(comment, "", body.markdown()));
    written.merge(item, 1, Integer::sum);
  }

  private static void refuse(@Nullable Category category) {
    if (category != null) {
      throw new SourceFailure(category, "down for one");
    }
  }
}
