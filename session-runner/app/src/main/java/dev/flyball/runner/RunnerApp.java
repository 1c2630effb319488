package dev.flyball.runner;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.repository.RepositoryAddress;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The session runner: claims requests through the ledger and runs them in containments. Start
 * returns once topics, containment and journal are ready. What an earlier runner left is swept
 * after that, before the first claim.
 */
public final class RunnerApp implements Service {
  private final RunnerConfig config;
  private final KafkaSettings kafka;
  private final Telemetry telemetry;

  /** Sources that its configuration lacks; guarded by this. */
  private final Set<String> added = new LinkedHashSet<>();

  // Written under the lock of this object; health reads it without.
  private volatile @Nullable LiveRunner live;

  public RunnerApp(RunnerConfig config, KafkaSettings kafka, Telemetry telemetry) {
    this.config = config;
    this.kafka = kafka;
    this.telemetry = telemetry;
  }

  /**
   * Starts the runner.
   *
   * @throws StartFailure if {@code sessions.repo} is no folder, no broker answers, a topic is
   *     wrong, no containment of {@code containment.minimum} works, or the data folder cannot be
   *     written
   */
  @Override
  public synchronized void start() {
    if (live != null) {
      return;
    }
    if (config.agents().repositories().usual().address() instanceof RepositoryAddress.Folder usual
        && !Files.isDirectory(usual.path())) {
      throw new StartFailure("sessions.repo " + usual + " is no folder; set it to the repository");
    }
    var clients = new KafkaClients(kafka, "runner");
    try {
      new TopicProvisioner(clients).provision();
    } catch (KafkaFailure e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
    RunnerHost host = RunnerHost.open(config, InstantSource.system());
    var runner = new LiveRunner(config, host, clients, telemetry, System.getenv());
    live = runner;
    added.forEach(runner::add);
    runner.start();
  }

  @Override
  public synchronized void stop() {
    LiveRunner running = live;
    if (running != null) {
      running.stop();
      live = null;
    }
  }

  @Override
  public void endDrain() {
    LiveRunner running = live;
    if (running != null) {
      running.endDrain();
    }
  }

  /**
   * Takes sessions of a further source from now on, in {@code sessions.repo}.
   *
   * @param source {@code tenant/source}
   */
  public synchronized void add(String source) {
    added.add(source);
    LiveRunner running = live;
    if (running != null) {
      running.add(source);
    }
  }

  /** The faults of this runner and its settings that were met again; empty if there are none. */
  public Set<String> lastingFaults() {
    return answered(LiveRunner::lastingFaults, Set.of());
  }

  /** Why a second session may not start beside the first; empty while it may. */
  public Optional<String> overloaded() {
    return answered(LiveRunner::overloaded, Optional.empty());
  }

  @Override
  public Health health() {
    return answered(LiveRunner::health, Health.starting("not started"));
  }

  /** The most process trees that lived at one time since it started; 0 while it does not run. */
  public int mostTrees() {
    return answered(LiveRunner::mostTrees, 0);
  }

  private <T> T answered(Function<LiveRunner, T> by, T whileItDoesNotRun) {
    LiveRunner running = live;
    return running == null ? whileItDoesNotRun : by.apply(running);
  }
}
