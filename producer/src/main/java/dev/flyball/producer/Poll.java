package dev.flyball.producer;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Published;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.KnownStore.LocalCopy;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One poll of a source whose lease is held: learn what was published, ask the tracker, check
 * waiting items again, compare, commit, report; or only the check of waiting items. Run once, by
 * one thread.
 *
 * <p>What was published is the local copy if that belongs to the committed cursor. If the copy was
 * lost or another producer polled since, it is what the topic work-items holds.
 *
 * @param source the configuration with which it ends
 * @param cursor whose lease is held
 * @param committed where the source was read to; empty before the first poll
 * @param id as in its events
 */
record Poll(
    GuardedSource source,
    LeasedCursor cursor,
    KnownStore store,
    Revisits revisits,
    Optional<PollCursor> committed,
    String id,
    Instant start) {
  private static final Logger LOG = LoggerFactory.getLogger(Poll.class);

  /** By how much the tracker's clock and ours may differ, or a commit may be late. */
  private static final Duration CLOCK_DOUBT = Duration.ofHours(1);

  private String key() {
    return source.key();
  }

  private PollReporter reporter() {
    return source.reporter();
  }

  /**
   * Polls.
   *
   * @throws org.apache.kafka.common.KafkaException if a topic cannot be read now
   * @throws RequestPermission.PermissionLost if the lease may be lost before the tracker answers
   */
  PollReport run() {
    reporter().started(key(), id, start, source.config().interval());
    committed.ifPresent(this::learnBefore);
    Snapshots rules = source.snapshots().since(cursor.begin(start));
    String at = committed.map(PollCursor::at).orElse(null);
    PollResult read;
    try {
      read = cursor.permission().during(() -> source.poll(at, cursor.permission()));
    } catch (SourceFailure e) {
      return failed(e.failure());
    }
    return publish(read, rules);
  }

  /**
   * Only checks waiting items again, and publishes what changed of them: it starts nothing new, so
   * it need not wait for a smaller backlog. The cursor stays at what was read, and the source stays
   * due as it was; the next poll finds everything else. No event of a poll reports it. Only after a
   * first poll.
   *
   * @throws org.apache.kafka.common.KafkaException if a topic cannot be read now
   * @throws RequestPermission.PermissionLost if the lease may be lost before the tracker answers
   */
  void revisit() {
    PollCursor before = committed.orElseThrow();
    learnBefore(before);
    Snapshots rules = source.snapshots().since(cursor.begin(start));
    // A file's cursor says that all of the file was published, which a part of it is not.
    String at = source.source().horizon(before.at()).isPresent() ? before.at() : "part:" + id;
    var nothing = new PollResult(List.of(), List.of(), at, 0);
    Revisits.Look again = recheck(nothing, rules);
    if (again.failure() != null) {
      LOG.warn("source {}: {}", key(), again.failure());
    }
    if (again.items().isEmpty() || publishFound(again.with(nothing), again, rules, before)) {
      revisits.done(again);
    }
  }

  private boolean publishFound(
      PollResult read, Revisits.Look again, Snapshots rules, PollCursor before) {
    LocalCopy copy = published(read).orElse(LocalCopy.NOTHING).orElse(again.known());
    CommentedPlan compared = compare(read, copy, rules);
    breakerLearns(compared);
    ChangePlan plan = compared.plan();
    if (!compared.complete() || plan.publications().isEmpty()) {
      return compared.complete();
    }
    var changes = new LocalCopy(plan.changesOf(copy.known()), copy.invalid());
    var next = new PollCursor(read.cursor(), id, before.version());
    Optional<String> failure =
        commit(next, cursor.polledAt().orElse(start), plan, List.of(), changes, false);
    failure.ifPresent(why -> LOG.warn("source {}: waiting items: {}", key(), why));
    return failure.isEmpty();
  }

  /**
   * Learns what was published of a source that answers only with changes, from the time at which
   * this poll reads again. Before the tracker is asked, so that an unreadable topic costs the
   * tracker no request.
   */
  private void learnBefore(PollCursor before) {
    Optional<Instant> horizon = source.source().horizon(before.at());
    if (horizon.isPresent() && !store.cursor(key()).equals(Optional.of(before.toString()))) {
      Published published = cursor.publishedSince(horizon.get().minus(CLOCK_DOUBT));
      learn(before, published.newest(), Set.of(), "the topic since " + horizon.get());
    }
  }

  private PollReport publish(PollResult asked, Snapshots rules) {
    Revisits.Look again = recheck(asked, rules);
    PollResult read = again.with(asked);
    Optional<LocalCopy> copy = published(read);
    LocalCopy before = copy.orElse(LocalCopy.NOTHING).orElse(again.known());
    CommentedPlan compared = compare(read, before, rules);
    TrackerFailure unread = compared.failure();
    breakerLearns(compared);
    if (unread != null && !compared.complete()) {
      return failed(unread);
    }
    ChangePlan plan = compared.plan();
    List<PollResult.Unread> deadLetters = unreported(read, before.invalid());
    if (plan.publications().isEmpty() && deadLetters.isEmpty() && isAt(read.cursor())) {
      cursor.polled(reporter().now(), source.breaker().trouble());
    } else {
      var changes = new LocalCopy(plan.changesOf(before.known()), digests(read));
      var next = new PollCursor(read.cursor(), id, source.snapshots().version());
      Optional<String> failure =
          commit(next, reporter().now(), plan, deadLetters, changes, copy.isEmpty());
      if (failure.isPresent()) {
        return reporter().failed(key(), id, PollReporter.BROKER, failure.get());
      }
    }
    revisits.done(again);
    String partly = unread == null ? read.notRead() : unread.reason();
    String notRead = again.failure() == null ? partly : again.failure();
    return reporter()
        .finished(PollReport.Finished.of(key(), id, read, plan), deadLetters.size(), notRead);
  }

  /**
   * The breaker learns that comments could not be read; of failures that take nothing from a poll
   * only of a limit, because the polls themselves succeed.
   */
  private void breakerLearns(CommentedPlan compared) {
    TrackerFailure unread = compared.failure();
    if (unread != null
        && (!compared.complete() || unread.category() == TrackerFailure.Category.RATE_LIMITED)) {
      source.failed(unread);
    }
  }

  /** Checks waiting items again. A lost poll lease here keeps what the poll itself has read. */
  private Revisits.Look recheck(PollResult read, Snapshots rules) {
    try {
      return cursor
          .permission()
          .during(() -> revisits.look(source, rules, read, cursor.permission(), reporter().now()));
    } catch (RequestPermission.PermissionLost e) {
      return Revisits.Look.NONE;
    }
  }

  /**
   * What was published of the items read. If a file is unchanged, all of it was published; if it
   * changed, what the topic still holds. Empty before the first poll.
   */
  private Optional<LocalCopy> published(PollResult read) {
    if (committed.isEmpty()) {
      return Optional.empty();
    }
    PollCursor before = committed.get();
    if (store.cursor(key()).equals(Optional.of(before.toString()))) {
      return Optional.of(store.copy(key(), read.items().stream().map(RawItem::key).toList()));
    }
    if (before.at().equals(read.cursor())) {
      Map<ItemKey, Known> known = ChangePlan.learn(read.items(), before.version());
      return Optional.of(learn(before, known, digests(read), "the unchanged source"));
    }
    Map<ItemKey, Known> known = cursor.publishedSince(null).within(read.items());
    return Optional.of(learn(before, known, Set.of(), "the topic"));
  }

  private LocalCopy learn(
      PollCursor at, Map<ItemKey, Known> known, Set<String> invalid, String from) {
    LOG.info("source {}: learnt {} published items from {}", key(), known.size(), from);
    var copy = new LocalCopy(known, invalid);
    store.put(key(), at.toString(), copy, true);
    return copy;
  }

  private CommentedPlan compare(PollResult read, LocalCopy before, Snapshots rules) {
    List<RawItem> items =
        source.source().horizon(read.cursor()).isEmpty()
            ? read.items()
            : ChangePlan.withoutOlder(read.items(), before.known());
    return CommentedPlan.of(items, before.known(), rules, source.source(), cursor.permission());
  }

  /**
   * The unreadable lines that have no dead letter yet: a broken line that stays in the file is not
   * reported again with every edit around it.
   */
  private static List<PollResult.Unread> unreported(PollResult read, Set<String> reported) {
    var seen = new HashSet<>(reported);
    return read.invalid().stream().filter(line -> seen.add(digest(line))).toList();
  }

  private static Set<String> digests(PollResult read) {
    return read.invalid().stream().map(Poll::digest).collect(Collectors.toSet());
  }

  private static String digest(PollResult.Unread line) {
    var parts = new TreeMap<>(Map.of("reason", line.reason(), "value", line.value()));
    return Fingerprint.of(parts).hash();
  }

  /** Whether this source cursor is committed already, with the same rules. */
  private boolean isAt(@Nullable String at) {
    return committed
        .filter(it -> it.at().equals(at) && it.version().equals(source.snapshots().version()))
        .isPresent();
  }

  /**
   * Publishes the changes with the cursor, all or nothing.
   *
   * @param at when the source was polled
   * @param whole whether there was no valid copy before
   * @return what went wrong, one line
   */
  private Optional<String> commit(
      PollCursor next,
      Instant at,
      ChangePlan plan,
      List<PollResult.Unread> deadLetters,
      LocalCopy changes,
      boolean whole) {
    Optional<String> failure =
        cursor.commit(plan.publications(), deadLetters, next, at, source.breaker().trouble());
    if (failure.isEmpty()) {
      store.put(key(), next.toString(), changes, whole);
    }
    return failure;
  }

  private PollReport failed(TrackerFailure failure) {
    if (source.breaker().counts()) {
      cursor.polled(reporter().now(), source.breaker().trouble());
    }
    return reporter().failed(key(), id, failure.category().label(), failure.reason());
  }
}
