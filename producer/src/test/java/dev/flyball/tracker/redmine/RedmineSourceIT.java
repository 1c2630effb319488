package dev.flyball.tracker.redmine;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.RedmineIssues;
import dev.flyball.testkit.RedmineServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.http.TrackerLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A real Redmine, read by its REST interface. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedmineSourceIT {
  private static final Duration LONG_AGO = Duration.ofMinutes(10);

  @TempDir Path dir;
  @AutoClose private RedmineServer redmine;
  private RedmineIssues issues;

  @BeforeAll
  void start(@TempDir Path folder) {
    redmine = RedmineServer.start(folder.resolve("redmine"));
    issues = redmine.issues();
  }

  @BeforeEach
  void nothingThere() {
    issues.deleteAll();
  }

  @Test
  void tellsWhatThereIsOfAnIssue() {
    int id =
        issues.create(
            Map.of(
                "subject",
                "Search is slow",
                "description",
                "h1. Steps\n\n* open *search*",
                "tracker_id",
                2,
                "priority_id",
                4,
                "assigned_to_id",
                redmine.issuesAsBot().me()));
    RawItem item = read(source(), null).items().getFirst();

    assertThat(item.key()).isEqualTo(new ItemKey("acme", "tracker", Integer.toString(id)));
    assertThat(item.title()).isEqualTo("Search is slow");
    assertThat(item.description()).contains("h1. Steps").contains("* open *search*");
    assertThat(item.type()).isEqualTo("Feature");
    assertThat(item.state()).isEqualTo("New");
    assertThat(item.priority()).as("Urgent, below Immediate").isEqualTo(2);
    assertThat(item.url()).isEqualTo(redmine.url() + "/issues/" + id);
    assertThat(item.assigned()).isTrue();
    assertThat(item.closed()).isFalse();
    assertThat(item.changedBy()).isNull();
    assertThat(item.revision()).isEqualTo(String.valueOf(item.changedAt()));
  }

  @Test
  void aPollAfterAChangeAnswersWithThatAloneAndAQuietTrackerCostsOneRequest() {
    List<Integer> ids = issues.createMany(5, "Old", LONG_AGO);
    var source = source();
    String cursor = read(source, null).cursor();
    int before = redmine.requests();
    PollResult quiet = read(source, cursor);
    assertThat(quiet.items()).isEmpty();
    assertThat(quiet.cursor()).isEqualTo(cursor);
    assertThat(redmine.requests()).isEqualTo(before + 1);

    issues.edit(ids.get(3), Map.of("subject", "Changed"));
    PollResult changed = read(source, cursor);
    assertThat(changed.items()).extracting(RawItem::title).containsExactly("Changed");
    assertThat(changed.cursor()).isNotEqualTo(cursor);
  }

  @Test
  void everyIssueIsReadOverPagesWhateverIsEditedCreatedOrDeletedMeanwhile() {
    List<Integer> ids = issues.createMany(130, "Many", LONG_AGO);
    var source = source();
    read(source, null);
    PollResult read =
        source.poll(
            null,
            beforeRequest(
                2,
                () -> {
                  issues.create("Made meanwhile", "");
                  issues.edit(ids.getFirst(), Map.of("subject", "Edited on the first page"));
                  issues.edit(ids.get(110), Map.of("subject", "Edited on the second page"));
                }));
    assertThat(read.items()).extracting(RedmineSourceIT::id).containsAll(ids);
    var titles = new ArrayList<>(read.items().stream().map(RawItem::title).toList());
    read(source, read.cursor()).items().forEach(item -> titles.add(item.title()));
    assertThat(titles)
        .as("this poll and the next one")
        .contains("Edited on the second page", "Edited on the first page", "Made meanwhile");

    read = source.poll(null, beforeRequest(2, () -> ids.subList(5, 15).forEach(issues::delete)));
    assertThat(read.items()).extracting(RedmineSourceIT::id).containsAll(ids.subList(15, 130));
  }

  @Test
  void revisitsIssuesByIdAndReportsDeletedOnes() {
    List<Integer> ids = issues.createMany(3, "Old", LONG_AGO);
    issues.close(ids.get(0));
    issues.delete(ids.get(1));
    var source = source(RedmineServer.BOT_KEY, "subject=nothing like this");
    var seen = source.revisit(ids.stream().map(this::key).toList(), RequestPermission.GRANTED);
    assertThat(seen.items())
        .extracting(RedmineSourceIT::id, RawItem::closed)
        .containsExactlyInAnyOrder(tuple(ids.get(0), true), tuple(ids.get(2), false));
    assertThat(seen.gone()).containsExactly(key(ids.get(1)));
  }

  @Test
  void aQueryNarrowsWhatIsReadAndAnotherReadsEverythingAgain() {
    issues.create(Map.of("subject", "A bug", "tracker_id", 1));
    issues.create(Map.of("subject", "A feature", "tracker_id", 2));
    PollResult narrow = read(source(RedmineServer.BOT_KEY, "tracker_id=2"), null);
    assertThat(narrow.items()).extracting(RawItem::title).containsExactly("A feature");
    assertThat(read(source(RedmineServer.BOT_KEY, ""), narrow.cursor()).items()).hasSize(2);
  }

  /** Redmine itself would treat such a request as anonymous and answer 200. */
  @Test
  void aWrongKeyIsAFailureAndNotAnEmptyTracker() {
    List<Integer> ids = issues.createMany(1, "Old", LONG_AGO);
    var source = source("c".repeat(40), "");
    var keys = List.of(key(ids.getFirst() + 1));
    assertThat(failureOf(() -> source.poll(null, RequestPermission.GRANTED)).category())
        .isEqualTo(TrackerFailure.Category.AUTH);
    assertThat(failureOf(() -> source.revisit(keys, RequestPermission.GRANTED))).isNotNull();
  }

  private RedmineSource source() {
    return source(RedmineServer.BOT_KEY, "");
  }

  private RedmineSource source(String key, String query) {
    try {
      Path token = Files.writeString(Files.createTempFile(dir, "key", ""), key + "\n");
      URI url = URI.create(redmine.url() + "/");
      return new RedmineSource(
          TestSources.redmine(url, query, new Credential.InFile(token)),
          InstantSource.system(),
          new TrackerLimits());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PollResult read(RedmineSource source, @Nullable String cursor) {
    return source.poll(cursor, RequestPermission.GRANTED);
  }

  /** Runs this right before one request of a poll, counted from 1. */
  private static RequestPermission beforeRequest(int number, Runnable what) {
    var requests = new AtomicInteger();
    return () -> {
      if (requests.incrementAndGet() == number) {
        what.run();
      }
    };
  }

  private ItemKey key(int id) {
    return new ItemKey("acme", "tracker", Integer.toString(id));
  }

  private static int id(RawItem item) {
    return Integer.parseInt(item.key().id());
  }
}
