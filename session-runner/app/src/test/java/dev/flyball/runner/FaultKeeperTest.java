package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.gate.RunnerFaults;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.runner.session.End;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a runner declines because of its own faults and its configuration")
class FaultKeeperTest {
  private static final OfSource USUAL = OfSource.in(Path.of("/usual"), null);
  private static final OfSource OWN = OfSource.in(Path.of("/own"), null);

  private final AtomicLong now = new AtomicLong();
  private final List<String> changes = Collections.synchronizedList(new ArrayList<>());
  private final RequestIndex index = new RequestIndex();
  private Repositories repositories =
      new Repositories(USUAL, Map.of("acme/web", OWN, "acme/file", USUAL), MirrorLimits.DEFAULT);
  private final FaultKeeper keeper =
      new FaultKeeper(
          Set.of("default", "cheap"),
          (source, polledBy) -> repositories.of(source, polledBy).isPresent(),
          session -> false,
          now::get,
          (declined, text) -> changes.add((declined ? "declined " : "over ") + text));
  private long offset;

  @Test
  @DisplayName("items of a source that is not configured are declined, announced and counted")
  void anUnknownSource() {
    Waiting gone = waits("acme/gone/1", "default", null);
    waits("acme/gone/2", "default", null);
    Waiting known = waits("acme/web/1", "default", null);

    List<Decline> declined = keeper.turn(index.groups());

    assertThat(keeper.declines(gone)).isTrue();
    assertThat(keeper.declines(known)).isFalse();
    assertThat(declined)
        .singleElement()
        .returns("acme/gone", Decline::source)
        .returns(Decline.UNKNOWN_SOURCE, Decline::code);
    assertThat(keeper.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(keeper.health().reasons())
        .singleElement()
        .asString()
        .contains("2 items", "acme/gone");

    repositories = repositories.with("acme/gone");
    assertThat(keeper.turn(index.groups())).isEmpty();
    assertThat(keeper.declines(gone)).isFalse();
    assertThat(keeper.health()).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("an items file may name any source; its items go where the file's source works")
  void anItemOfAFile() {
    Waiting line = waits("globex/any/1", "default", "acme/file");

    assertThat(keeper.turn(index.groups())).isEmpty();
    assertThat(keeper.declines(line)).isFalse();
    assertThat(repositories.of("globex/any", "acme/file")).contains(USUAL);
    assertThat(repositories.of("acme/web", "acme/file")).as("its own source's").contains(OWN);
    assertThat(repositories.of("globex/any", "acme/removed")).isEmpty();
  }

  @Test
  @DisplayName("without any source in its configuration a runner takes every item")
  void noSourcesAtAll() {
    repositories = Repositories.only(Path.of("/usual"));

    assertThat(keeper.declines(waits("any/thing/1", "default", null))).isFalse();
  }

  @Test
  @DisplayName("items for a profile that it lacks are counted in health")
  void aMissingProfile() {
    waits("acme/web/1", "deep", null);

    keeper.turn(index.groups());

    assertThat(keeper.health().reasons()).singleElement().asString().contains("1 item", "deep");
  }

  @Test
  @DisplayName("a fault is reported once, tried after its pause, and over with the next session")
  void aFaultFromItsBeginToItsEnd() {
    Waiting request = waits("acme/web/1", "default", null);
    meets("s1", Failure.REPOSITORY);
    meets("s2", Failure.REPOSITORY);

    assertThat(changes).containsExactly("declined " + keeper.health().reasons().getFirst());
    assertThat(keeper.declines(request)).isTrue();
    assertThat(keeper.turn(index.groups()))
        .containsExactly(new Decline(null, "acme/web", Failure.REPOSITORY, "gone"));
    assertThat(keeper.lasting()).as("it may be over in a moment").isEmpty();

    now.addAndGet(RunnerFaults.SHORTEST.toNanos());
    keeper.turn(index.groups());
    meets("s3", Failure.REPOSITORY);
    assertThat(keeper.lasting()).hasSize(1);

    now.addAndGet(RunnerFaults.SHORTEST.multipliedBy(2).toNanos());
    keeper.turn(index.groups());
    assertThat(keeper.declines(request)).isFalse();
    Session trial = session("s4");
    keeper.began(trial);
    assertThat(keeper.declines(request)).isTrue();
    keeper.works(trial, false);

    assertThat(keeper.declines(request)).isFalse();
    assertThat(keeper.health()).isEqualTo(Health.healthy());
    assertThat(changes).hasSize(2).last().isEqualTo("over source acme/web");
  }

  @Test
  @DisplayName("a session that is abandoned leaves the decision to the next one")
  void anAbandonedTrial() {
    Waiting request = waits("acme/web/1", "default", null);
    meets("s1", Failure.REPOSITORY);
    now.addAndGet(RunnerFaults.SHORTEST.toNanos());
    keeper.turn(index.groups());
    assertThat(keeper.declines(request)).isFalse();
    Session trial = session("s2");
    keeper.began(trial);

    trial.closed();

    assertThat(keeper.declines(request)).isFalse();
  }

  @Test
  @DisplayName("a data folder that cannot be written is no runner that accepts, until it is over")
  void aFaultOfTheWholeRunner() {
    meets("s1", Failure.REPOSITORY);
    assertThat(keeper.accepts()).as("other sources have a repository").isTrue();
    meets("s2", Failure.DATA_FOLDER);
    assertThat(keeper.accepts()).isFalse();

    now.addAndGet(RunnerFaults.LONGEST.toNanos());
    keeper.turn(index.groups());
    assertThat(keeper.accepts()).as("while one session decides").isFalse();
    Session trial = session("s3");
    keeper.began(trial);
    keeper.works(trial, false);

    assertThat(keeper.accepts()).isTrue();
  }

  @Test
  @DisplayName("a runner accepts while one of its profiles works")
  void aFaultOfEachProfile() {
    keeper.charged(
        session("s1", "default"),
        runner("agent-login", "not logged in"),
        new Course(true, false, true));
    assertThat(keeper.accepts()).as("the other profile works").isTrue();

    keeper.charged(
        session("s2", "cheap"),
        runner("agent-login", "not logged in"),
        new Course(true, false, true));

    assertThat(keeper.accepts()).isFalse();
  }

  private void meets(String session, String code) {
    keeper.charged(session(session), runner(code, "gone"), new Course(false, false, false));
  }

  private static End runner(String code, String reason) {
    return new End(Outcome.INTERRUPTED, new Failure(Failure.Kind.RUNNER, code), reason);
  }

  private Waiting waits(String key, String profile, @Nullable String polledBy) {
    var waiting =
        new Waiting(
            key, new Position(0, ++offset), "q", 1, offset, null, profile, polledBy, null, 0);
    index.put(waiting);
    return waiting;
  }

  private static Session session(String id) {
    return session(id, "default");
  }

  private static Session session(String id, String profile) {
    SessionRequest request = Sample.request("q-" + id, Instant.EPOCH, Sample.snapshot());
    LedgerState ledger = LedgerState.empty();
    for (LedgerEntry entry :
        List.of(
            new LedgerEntry.Init(1, 45_000, List.of()),
            Sample.claim("acme/web/1", request.request(), id))) {
      ledger = ledger.fold(entry, ledger.offset() + 1, Instant.EPOCH).state();
    }
    return new Session(
        ledger.lease(id).orElseThrow(),
        new Token("topic", 1),
        new Waiting("acme/web/1", new Position(0, 1), id, 1, 0, null, profile, null, null, 0),
        () -> Optional.of(request),
        new Fence(0, Long.MAX_VALUE, Long.MAX_VALUE));
  }
}
