package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.github.RationedGitHub;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long lists, read in parts. Each test has a tenant; the interval is longer than any test. */
@Tag("long")
@DisplayName("A list that is too long for one poll is read by several, each on its own")
class LongListIT extends PollFixture {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int AMPLE = 1_000_000;

  private final List<RationedGitHub> trackers = new ArrayList<>();

  @AfterEach
  void close() {
    trackers.forEach(RationedGitHub::close);
  }

  @Test
  void aPauseBetweenPartsIsObeyedAndShown() {
    RationedGitHub github = github(130, 5, HOUR);
    ProducerApp app = start("one", true, github);

    KafkaFixture.await().until(() -> events().contains(EventType.POLL_FINISHED));
    KafkaFixture.await()
        .until(() -> app.health().reasons().toString().contains("paused by its tracker for"));
    app.stop();
    ProducerApp again = start("one", true, github);
    KafkaFixture.await()
        .until(() -> again.health().reasons().toString().contains("paused by its tracker for"));

    assertThat(published()).as("what was read counts").hasSize(46);
    assertThat(github.requests()).as("after a restart, too").hasSize(5);
  }

  /** There is no pause: only the cursor says that the list goes on. */
  @Test
  void aRestartBetweenPartsContinuesWithoutTheInterval() {
    RationedGitHub github = github(400, AMPLE, HOUR);
    onePart("one", github);
    assertThat(published()).hasSize(181);

    start("one", true, github);

    KafkaFixture.await().until(() -> published().size() >= 400);
    assertThat(published()).doesNotHaveDuplicates();
    assertThat(github.mostAtOnce()).isEqualTo(1);
  }

  /** Each part is read by a producer that knows only what is in Kafka. */
  @Test
  void aCrashBetweenTwoPartsMissesNoneAndDoublesNone() {
    RationedGitHub github = github(400, AMPLE, HOUR);
    onePart("1", github);
    assertThat(published()).hasSize(181);
    github.put(1, "closed", Instant.now());
    onePart("2", github);
    assertThat(published()).hasSize(361);

    PollReport.Finished last = finished(start("3", false, github));
    assertThat(published()).hasSize(400).doesNotHaveDuplicates();
    assertThat(last.changed()).isEqualTo(39);

    PollReport.Finished after = finished(start("1", false, github));
    assertThat(after.published())
        .as("what was closed meanwhile, and nothing else")
        .singleElement()
        .satisfies(published -> assertThat(published.key().id()).isEqualTo("1"));
    assertThat(published()).hasSize(401).doesNotHaveDuplicates();
  }

  @Test
  void aListThatLeadsNowhereIsAFailure() {
    ProducerApp app = start("one", false, github(1, AMPLE, HOUR), (config, clock) -> new Stuck());

    assertThat(app.pollNow(key))
        .isInstanceOfSatisfying(
            PollReport.Failed.class,
            failed -> assertThat(failed.reason()).startsWith(GuardedSource.nowhere(key).reason()));
  }

  private RationedGitHub github(int count, int allowance, Duration window) {
    var github = new RationedGitHub(count, allowance, window, InstantSource.system());
    trackers.add(github);
    return github;
  }

  /** One poll of a new producer, whose tracker is closed when the producer would continue. */
  private void onePart(String data, RationedGitHub github) {
    ProducerApp app =
        start(data, false, github, (source, clock) -> new OneAnswer(opened(source, clock)));
    assertThat(app.pollNow(key))
        .isInstanceOfSatisfying(
            PollReport.Failed.class,
            failed ->
                assertThat(failed.reason())
                    .matches("no route; wait; the 18[01] changes read before it are published"));
    app.stop();
  }

  private PollReport.Finished finished(ProducerApp app) {
    PollReport.Finished report = poll(app);
    app.stop();
    return report;
  }

  private ProducerApp start(String data, boolean byItself, RationedGitHub github) {
    return start(data, byItself, github, LongListIT::opened);
  }

  private ProducerApp start(
      String data,
      boolean byItself,
      RationedGitHub github,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    var source =
        new SourceConfig.GitHub(
            new SourceConfig.Identity(tenant, "web", Duration.ofDays(1)),
            SourceRules.DEFAULT,
            github.url(),
            "acme/web",
            new Credential.None());
    return start(config(data, source), byItself, opener);
  }

  private static Source opened(SourceConfig source, InstantSource clock) {
    return new GitHubSource((SourceConfig.GitHub) source, clock, new TrackerLimits());
  }

  private List<String> published() {
    return records(KAFKA.topics().workItems())
        .map(
            record -> record.key() + " " + EventHeaders.text(record.headers(), EventHeaders.DIGEST))
        .toList();
  }

  /** A tracker whose list goes on for ever at one place. */
  private static final class Stuck implements Source {
    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      return new PollResult.Read(List.of(), List.of(), Map.of(), "c1", 1, Duration.ZERO, true);
    }

    @Override
    public boolean goesOn(String cursor) {
      return true;
    }
  }

  /** A tracker that answers one poll. */
  private static final class OneAnswer implements Source {
    private final Source source;
    private boolean answered;

    OneAnswer(Source source) {
      this.source = source;
    }

    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      if (answered) {
        return new PollResult.Failed(TrackerFailure.of(Category.UNREACHABLE, "no route; wait"));
      }
      answered = true;
      return source.poll(cursor, permission);
    }

    @Override
    public Optional<Instant> horizon(String cursor) {
      return source.horizon(cursor);
    }

    @Override
    public boolean goesOn(String cursor) {
      return source.goesOn(cursor);
    }
  }
}
