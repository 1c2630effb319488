package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.Containment;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.LargeField;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Timeout(60)
@DisplayName("10 MB on both streams of an agent end its session with a reason (T2)")
class LargeFieldsIT {
  private static final int SIZE = 10 << 20;

  /** What one record may have; the broker takes a megabyte. */
  private static final int MOST = 1_000_000;

  @TempDir static Path folder;
  private static Containment containment;

  @BeforeAll
  static void contain() throws IOException {
    containment = FaultAgentIT.contained(folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"eyJ", "x", "sk-", "-----BEGIN ", "://a:", "\u20ac"})
  void aLineOfTenMegabytesOnBothStreams(String filler) throws Exception {
    new LargeField("text", "@", true).write(folder.resolve("said"), filler, SIZE);
    var published = new Published();
    var session = new OneSession(new FakeAgent("", ""));
    session
        .contained(
            printing("cat said & cat said >&2; wait"),
            containment,
            folder,
            Map.of(),
            published,
            SessionLimits.DEFAULT)
        .start(session.handle);

    LedgerEntry.Release release = session.released.get(40, TimeUnit.SECONDS);

    assertThat(release.outcome()).as(release.reason()).isIn(Outcome.COMPLETED, Outcome.FAILED);
    assertThat(release.outcome() == Outcome.COMPLETED || release.reason() != null).isTrue();
    assertThat(release.timings().reportingMs()).as("after its end").isLessThan(1000);
    assertThat(RecordJson.bytes(release)).hasSizeLessThan(20_000);
    assertThat(published.largest).hasValueLessThan(MOST);
    await("no thread of the session is left")
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(() -> assertThat(threads()).isEmpty());
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("(?:out|err)-[0-9]+|session-" + OneSession.ID.substring(0, 8)))
        .toList();
  }

  /** Takes everything and measures it. */
  private static final class Published implements EventSink {
    private final AtomicInteger largest = new AtomicInteger();

    @Override
    public CompletableFuture<Void> publish(LifecycleEvent event) {
      offer(event);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void offer(LifecycleEvent event) {
      measured(event.data());
    }

    @Override
    public boolean offer(String session, OutputChunk chunk) {
      measured(chunk);
      return true;
    }

    private void measured(Object record) {
      largest.accumulateAndGet(RecordJson.bytes(record).length, Math::max);
    }
  }

  private static Agent printing(String script) {
    Agent program = new Command("/bin/sh").session(Setup.DEFAULT);
    return new Agent(
        program.label(),
        List.of("/bin/sh", "-c", script),
        Agent.Variables.NONE,
        (item, request, codebase) -> "",
        program.readers(),
        program.traits(),
        null,
        null);
  }
}
