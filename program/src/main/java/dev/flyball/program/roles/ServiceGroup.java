package dev.flyball.program.roles;

import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several services of one process. They start in parallel, because a stream takes seconds to get
 * ready. They stop one after the other in the given order, because a runner's last events must
 * still be projected.
 */
public final class ServiceGroup implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceGroup.class);

  /** How long a console may take to read the last events of those that stopped before it. */
  private static final Duration LAST_EVENTS = Duration.ofSeconds(3);

  private final Map<String, Service> services;

  /** Services by their names, in the order in which they stop. */
  public ServiceGroup(Map<String, Service> services) {
    this.services = new LinkedHashMap<>(services);
  }

  /**
   * Starts all and returns once each start has returned.
   *
   * @throws StartFailure with the first error line of a service; those that started are stopped
   */
  @Override
  public void start() {
    List<Future<?>> starts = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      services.forEach((name, service) -> starts.add(threads.submit(started(name, service))));
    }
    for (Future<?> start : starts) {
      try {
        var _ = start.get();
      } catch (ExecutionException e) {
        stop();
        throw failure(e.getCause() == null ? e : e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        stop();
        throw new StartFailure("interrupted while starting");
      }
    }
  }

  @Override
  public void stop() {
    services.forEach((name, service) -> {
      long began = System.nanoTime();
      try {
        if (service instanceof ConsoleApp console) {
          // So that `items` and `analysis` answer completely after the process has ended.
          var _ = console.catchUp(LAST_EVENTS);
        }
        service.stop();
      } catch (RuntimeException e) {
        // The others must be stopped whether or not this one fails.
        LOG.error("{} did not stop cleanly", name, e);
      }
      LOG.info("{} stopped in {} ms", name, Duration.ofNanos(System.nanoTime() - began).toMillis());
    });
  }

  @Override
  public void endDrain() {
    services.values().forEach(Service::endDrain);
  }

  /**
   * The worst health, each condition once with the names of the services that report it: a pause in
   * the ledger is one fact, although several services read it.
   */
  @Override
  public Health health() {
    Health all = Health.healthy();
    var reporters = new LinkedHashMap<Health.Condition, List<String>>();
    for (Map.Entry<String, Service> entry : services.entrySet()) {
      Health one = entry.getValue().health();
      for (Health.Condition condition : one.conditions()) {
        reporters.computeIfAbsent(condition, it -> new ArrayList<>()).add(entry.getKey());
      }
      all = all.and(one.because(List.of()));
    }
    var conditions = new ArrayList<Health.Condition>();
    reporters.forEach((condition, names) -> conditions.add(named(names, condition)));
    return all.because(conditions);
  }

  private static Health.Condition named(List<String> names, Health.Condition of) {
    return names.size() == 1 && of.text().startsWith(names.getFirst())
        ? of
        : new Health.Condition(of.code(), of.of(), String.join(", ", names) + ": " + of.text());
  }

  private static Callable<Object> started(String name, Service service) {
    return () -> {
      long began = System.nanoTime();
      service.start();
      LOG.info("{} started in {} ms", name, Duration.ofNanos(System.nanoTime() - began).toMillis());
      return name;
    };
  }

  private static StartFailure failure(Throwable cause) {
    return cause instanceof StartFailure known
        ? known
        : new StartFailure(
            cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
  }
}
