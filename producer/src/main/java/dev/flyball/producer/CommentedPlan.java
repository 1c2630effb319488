package dev.flyball.producer;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.lease.PollPermission;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a poll publishes, with the comments of its items. Where they are no part of the fingerprint,
 * a comment that cannot be read loses no item: the item is published without comments, which are
 * read when it changes again. Where they are a part of it, an item without its comments would look
 * changed, so the poll fails.
 *
 * @param failure why some comments could not be read; null if all could
 * @param complete whether every fingerprint is what the tracker's items have; if not, nothing of
 *     this may be published
 */
record CommentedPlan(ChangePlan plan, @Nullable TrackerFailure failure, boolean complete) {
  private static final Logger LOG = LoggerFactory.getLogger(CommentedPlan.class);

  /** Compares a poll with what is known and reads the comments of what changed. */
  static CommentedPlan of(
      List<RawItem> items,
      Map<ItemKey, Known> known,
      Snapshots snapshots,
      Source source,
      PollPermission permission) {
    ChangePlan plan = ChangePlan.of(items, known, snapshots);
    boolean compared = snapshots.compareComments();
    Collection<RawItem> asked = compared ? changed(plan) : taken(plan);
    var comments = new HashMap<ItemKey, List<HumanComment>>();
    TrackerFailure failure =
        permission.during(() -> read(asked, source, permission, compared, comments));
    return new CommentedPlan(
        comments.isEmpty() ? plan : ChangePlan.of(items, known, snapshots.with(comments)),
        failure,
        failure == null || !compared);
  }

  /**
   * Most items of one poll whose comments are read where they are no part of the fingerprint. Each
   * costs a request before anything is published: with a request for each of the 2,000 items of a
   * first read, a producer that is killed every few minutes would never publish any.
   */
  static final int MOST = 50;

  /** The items that a session may be started for, those that changed last. */
  private static Collection<RawItem> taken(ChangePlan plan) {
    var items = new ArrayList<RawItem>();
    for (ChangePlan.Publication publication : plan.publications()) {
      Snapshot snapshot = publication.snapshot();
      boolean wanted = !snapshot.closed() && snapshot.exclusion() == null;
      if (publication.newest() && wanted && publication.item().comments() != 0) {
        items.add(publication.item());
      }
    }
    return items.subList(Math.max(0, items.size() - MOST), items.size());
  }

  /** Every item that changed. One that is not taken may be later; it must not look changed then. */
  private static List<RawItem> changed(ChangePlan plan) {
    return plan.publications().stream()
        .filter(ChangePlan.Publication::newest)
        .map(ChangePlan.Publication::item)
        .toList();
  }

  /**
   * Reads the comments of items; returns why not all, or null. An item without a list of comments
   * has none: it was deleted meanwhile, or its tracker is too old for them. Any other failure ends
   * the reading, because a tracker in trouble must not get a request for each item.
   *
   * @param compared whether comments that break their reader are a failure, too
   */
  private static @Nullable TrackerFailure read(
      Collection<RawItem> items,
      Source source,
      RequestPermission permission,
      boolean compared,
      Map<ItemKey, List<HumanComment>> comments) {
    for (RawItem item : items) {
      try {
        List<HumanComment> read = source.comments(item, permission);
        if (!read.isEmpty()) {
          comments.put(item.key(), read);
        }
      } catch (SourceFailure e) {
        if (e.failure().category() != Category.NOT_FOUND) {
          return notRead(e.failure());
        }
      } catch (RequestPermission.PermissionLost e) {
        throw e;
      } catch (RuntimeException | StackOverflowError e) {
        LOG.error("comments of {} broke their reader", item.key(), e);
        if (compared) {
          return notRead(
              TrackerFailure.of(
                  Category.MALFORMED,
                  item.key() + " broke their reader (" + e + "); report it with the log"));
        }
      }
    }
    return null;
  }

  private static TrackerFailure notRead(TrackerFailure why) {
    return new TrackerFailure(
        why.category(), "comments were not read: " + why.reason(), why.retryAfter());
  }
}
