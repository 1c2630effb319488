package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An agent without a process: says its words, exits when told to, and remembers what it is told.
 */
class FakeAgent implements ContainedProcess {
  final List<Duration> deadlines = Collections.synchronizedList(new ArrayList<>());
  final List<KillLadder> kills = Collections.synchronizedList(new ArrayList<>());
  final CompletableFuture<Exit> exit = new CompletableFuture<>();
  private final String said;
  private final String complained;

  FakeAgent(String said, String complained) {
    this.said = said;
    this.complained = complained;
  }

  /** One that said this and exited. */
  static FakeAgent exited(String said, String complained, int code) {
    var agent = new FakeAgent(said, complained);
    agent.exit.complete(new Exit(code, 0));
    return agent;
  }

  /** One with 70 processes, more than are usual. */
  static FakeAgent large() {
    return new FakeAgent("", "") {
      @Override
      public Sample sample(Duration age) {
        return new Sample(70, 0, 0);
      }
    };
  }

  @Override
  public Identity identity() {
    return new Identity(4_000_000, 1, "boot", "ns");
  }

  @Override
  public InputStream out() {
    return new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public InputStream err() {
    return new ByteArrayInputStream(complained.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public boolean extendTo(Duration end) {
    return deadlines.add(end);
  }

  @Override
  public CompletableFuture<Exit> onExit() {
    return exit;
  }

  @Override
  public Sample sample(Duration age) {
    return new Sample(0, 0, 0);
  }

  @Override
  public KillReport kill(KillLadder ladder) {
    kills.add(ladder);
    exit.complete(new Exit(137, 9));
    return new KillReport(List.of("KILL"), 0, 1, 0);
  }
}
