package dev.flyball.tracker.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A repository whose open issues need more requests than an hour allows. */
class LongFirstPollTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant START = Instant.parse("2026-02-11T09:00:00Z");

  private Instant now = START;
  private final RationedGitHub github = new RationedGitHub(130, 5, HOUR, () -> now);

  @AfterEach
  void close() {
    github.close();
  }

  @Test
  void endsAfterSeveralPollsWithEachIssueOnce() {
    List<PollResult.Read> polls = toTheEnd(null);

    assertThat(polls).hasSize(3);
    assertThat(polls).extracting(PollResult.Read::more).containsExactly(true, true, false);
    assertThat(polls)
        .as("a restart knows it by the cursor")
        .extracting(poll -> source().goesOn(poll.cursor()))
        .containsExactly(true, true, false);
    assertThat(polls).allMatch(poll -> poll.requests() <= 5);
    assertThat(polls.getFirst().retryAfter()).isPositive();
    assertThat(github.refused()).as("requests that were refused").isZero();
    assertThat(digests(polls)).hasSize(130).allSatisfy((id, once) -> assertThat(once).hasSize(1));
    assertThat(polls.stream().mapToInt(poll -> poll.items().size()).sum())
        .as("one on each seam is read twice")
        .isEqualTo(130 + 2);
    assertThat(github.requests())
        .as("all of them are the first poll")
        .allSatisfy(request -> assertThat(request.query()).containsEntry("state", "open"));
  }

  @Test
  void whatHappensMeanwhileIsReadByThePollAfterIt() {
    PollResult.Read first = read(null);
    github.put(1, "closed", now);
    github.put(2, "open", now);
    github.put(130, "closed", now);
    github.put(131, "open", now);
    List<PollResult.Read> others = toTheEnd(first.cursor());
    now = now.plus(HOUR);

    PollResult.Read after = read(others.getLast().cursor());

    assertThat(github.requests().getLast().query())
        .containsEntry("state", "all")
        .containsEntry("since", START.minus(Duration.ofMinutes(2)).toString());
    assertThat(after.items())
        .filteredOn(RawItem::closed)
        .extracting(item -> item.key().id())
        .containsExactlyInAnyOrder("1", "130");
    assertThat(ids(List.of(after))).contains("2", "131");
  }

  @Test
  void aRefusalFailsItsPartAlone() {
    PollResult.Read first = read(null);

    var failed = (PollResult.Failed) source().poll(first.cursor(), RequestPermission.GRANTED);
    assertThat(failed.failure().retryAfter()).isEqualTo(HOUR);
    now = now.plus(HOUR);
    List<PollResult.Read> others = toTheEnd(first.cursor());

    others.add(first);
    assertThat(ids(others)).hasSize(130);
  }

  @Test
  void aTakeoverBetweenPartsKnowsWhereToReadAgain() {
    PollResult.Read first = read(null);

    assertThat(source().horizon(first.cursor()))
        .as("the place, 46 minutes into the list, less a second")
        .contains(Instant.parse("2026-02-10T08:45:59Z"));
  }

  private List<PollResult.Read> toTheEnd(@Nullable String cursor) {
    var polls = new ArrayList<PollResult.Read>();
    String at = cursor;
    do {
      now = now.plus(polls.isEmpty() && cursor == null ? Duration.ZERO : HOUR);
      polls.add(read(at));
      at = polls.getLast().cursor();
    } while (polls.getLast().more());
    return polls;
  }

  /** Reads as after a crash: only the cursor of earlier polls is known. */
  private PollResult.Read read(@Nullable String cursor) {
    return (PollResult.Read) source().poll(cursor, RequestPermission.GRANTED);
  }

  private GitHubSource source() {
    var identity = new SourceConfig.Identity("acme", "web", SourceConfig.DEFAULT_INTERVAL);
    return new GitHubSource(
        new SourceConfig.GitHub(
            identity, SourceRules.DEFAULT, github.url(), "acme/web", new Credential.None()),
        () -> now,
        new TrackerLimits());
  }

  private static Set<String> ids(List<PollResult.Read> polls) {
    return new HashSet<>(digests(polls).keySet());
  }

  private static Map<String, Set<String>> digests(List<PollResult.Read> polls) {
    var digests = new HashMap<String, Set<String>>();
    polls.forEach(poll ->
        poll.items()
            .forEach(item ->
                digests
                    .computeIfAbsent(item.key().id(), id -> new HashSet<>())
                    .add(item.digest())));
    return digests;
  }
}
