package dev.flyball.broker;

import java.lang.StackWalker.StackFrame;
import java.net.BindException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One KRaft node, broker and controller, in this JVM. It starts in about 3 s and stops in under 1
 * s. After kill -9 it starts on the same folder with every acknowledged record. A fatal fault stops
 * it and is reported to {@link BrokerConfig#onFatal}; the JVM goes on. Thread-safe.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);

  /**
   * In seconds. A folder with gigabytes of logs recovers in 6-9 s after kill -9; a start that takes
   * longer than this is stuck.
   */
  private static final long START_LIMIT_SECONDS = 120;

  private static final int ATTEMPTS = 3;

  /** In seconds. */
  private static final long FAULT_LIMIT_SECONDS = 10;

  /** In seconds; measured 0.34-0.51 s. */
  private static final long STOP_LIMIT_SECONDS = 30;

  private final BrokerConfig config;
  private final BrokerFolder folder;
  private final Ports ports;

  /** Null where every client may write. */
  private final @Nullable BrokerSecret secret;

  private final KafkaRaftServer server;
  private final Consumer<String> faultListener = this::faulted;
  private final CompletableFuture<String> fault = new CompletableFuture<>();

  /** Written by the thread that starts the server, read by the one that stops it. */
  private volatile boolean started;

  /** Guarded by this; set by the first thread that stops the broker. */
  private @Nullable CompletableFuture<Void> stopped;

  private EmbeddedBroker(BrokerConfig config, BrokerFolder folder, Ports ports) {
    this.config = config;
    this.folder = folder;
    this.ports = ports;
    this.secret = config.open() ? null : BrokerSecret.of(config.directory());
    this.server =
        new KafkaRaftServer(
            new KafkaConfig(BrokerProperties.of(config, ports, secret), false), Time.SYSTEM);
    if (secret != null) {
      secret.write(ownersServers());
    }
  }

  /**
   * Starts a broker and returns once clients can use it.
   *
   * @throws BrokerStartFailed with one line if the folder or the address cannot be used, or Kafka
   *     does not start
   */
  public static EmbeddedBroker start(BrokerConfig config) {
    return start(config, () -> Ports.claim(config.host(), config.port()));
  }

  /** For tests: with ports that may be taken. */
  static EmbeddedBroker start(BrokerConfig config, Supplier<Ports> claim) {
    for (int attempt = 1; ; attempt++) {
      Ports ports = claim.get();
      try {
        return start(config, ports);
      } catch (BrokerStartFailed e) {
        // Kafka binds its ports seconds after they were claimed; another program may have them now.
        if (attempt == ATTEMPTS || !portTaken(e)) {
          throw e;
        }
        LOG.warn("embedded broker: a port was taken meanwhile, it starts on others", e);
      }
    }
  }

  private static EmbeddedBroker start(BrokerConfig config, Ports ports) {
    BrokerFolder folder = BrokerFolder.open(config.directory());
    EmbeddedBroker broker;
    try {
      broker = new EmbeddedBroker(config, folder, ports);
    } catch (RuntimeException e) {
      folder.close();
      throw failed(config, e);
    }
    FatalFaults.listen(broker.faultListener);
    try {
      broker.startUp();
      var _ = broker.fault.thenAccept(broker::onFault);
      return broker;
    } catch (RuntimeException e) {
      broker.close();
      if (!portTaken(e)) {
        var _ = broker.fault.thenAccept(config.onFatal());
      }
      throw e;
    }
  }

  /** The address where every client may read, and write if the configuration allows it. */
  public String bootstrapServers() {
    return config.host() + ":" + ports.broker();
  }

  /** The properties of a client that may write, with {@code bootstrap.servers}. */
  public Map<String, String> clientProperties() {
    return secret == null
        ? Map.of("bootstrap.servers", bootstrapServers())
        : secret.properties(ownersServers());
  }

  private String ownersServers() {
    return BrokerConfig.LOOPBACK + ":" + ports.owner();
  }

  /** For tests: the port of the listener that no client should use. */
  int controllerPort() {
    return ports.controller();
  }

  /** The port of the clients' listener. */
  public int port() {
    return ports.broker();
  }

  /** Why this broker is unusable, one line; empty while it works. */
  public Optional<String> fault() {
    return Optional.ofNullable(fault.getNow(null));
  }

  private void startUp() {
    // A separate thread, because after a fault Kafka's start may wait for ever.
    CompletableFuture<Void> up = onThread("embedded-broker-start", this::startServer);
    try {
      CompletableFuture.anyOf(up, fault).get(START_LIMIT_SECONDS, TimeUnit.SECONDS);
      if (fault.isDone()) {
        // The fault says where it was met; the start ends soon with its cause, or never.
        up.get(FAULT_LIMIT_SECONDS, TimeUnit.SECONDS);
        throw new BrokerStartFailed(fault.join());
      }
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw fault.isDone() && !portTaken(cause)
          ? new BrokerStartFailed(fault.join(), cause)
          : failed(config, cause);
    } catch (TimeoutException e) {
      throw fault().map(BrokerStartFailed::new).orElseGet(() -> failed(config, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerStartFailed(
          "interrupted while the broker in " + config.directory() + " started", e);
    }
  }

  private void startServer() {
    if (folder.killed()) {
      OldRegistration.takeBack(config, ports, secret);
    }
    if (!isStopped()) {
      server.startup();
      started = true;
    }
  }

  private synchronized boolean isStopped() {
    return stopped != null;
  }

  private static BrokerStartFailed failed(BrokerConfig config, Throwable cause) {
    return new BrokerStartFailed(
        "broker cannot start ("
            + String.valueOf(inKafka(cause).getMessage()).replaceAll("\\s+", " ")
            + "); "
            + BrokerFolder.suspicion(config.directory()),
        cause);
  }

  /** The innermost exception of Kafka: those around it say what was waited for, not what failed. */
  private static Throwable inKafka(Throwable error) {
    Throwable inner = error;
    for (Throwable at = error; at != null; at = at.getCause()) {
      inner = at instanceof KafkaException ? at : inner;
    }
    return inner;
  }

  private static boolean portTaken(Throwable error) {
    return error instanceof BindException
        || (error.getCause() != null && portTaken(error.getCause()));
  }

  private void faulted(String line) {
    if (fault.complete(line + "; " + BrokerFolder.suspicion(config.directory()))) {
      // Only a warning here: the program that started the broker reports the fault.
      LOG.warn("embedded broker: {}", fault.join());
    }
  }

  /** Kafka's behaviour after a fault is undefined, so the broker is stopped and clients lose it. */
  private void onFault(String line) {
    var _ = stop();
    config.onFatal().accept(line);
  }

  private synchronized CompletableFuture<Void> stop() {
    if (stopped == null) {
      stopped =
          onThread(
              "embedded-broker-stop",
              () -> {
                try {
                  server.shutdown();
                  server.awaitShutdown();
                  if (started && !fault.isDone()) {
                    folder.stoppedInOrder();
                  }
                } finally {
                  FatalFaults.forget(faultListener);
                  folder.close();
                }
              });
    }
    return stopped;
  }

  /** Stops and waits; a second call waits for the first. */
  @Override
  public void close() {
    try {
      stop().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("embedded broker in {} did not stop cleanly; its next start recovers", folder, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static CompletableFuture<Void> onThread(String name, Runnable work) {
    var done = new CompletableFuture<Void>();
    Thread.ofPlatform()
        .name(name)
        .daemon(true)
        .start(() -> {
          try {
            work.run();
            done.complete(null);
          } catch (Throwable e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  /**
   * Intercepts Kafka's fatal faults. Kafka calls {@code Runtime.halt}, which would silently end the
   * process that owns every running session. Kafka's hooks are static, so every broker of the JVM
   * receives each fault; there is one broker in production.
   */
  static final class FatalFaults {
    /** Written by brokers as they start and stop, read by the Kafka thread that has the fault. */
    private static final Set<Consumer<String>> LISTENERS = new CopyOnWriteArraySet<>();

    private FatalFaults() {}

    /** From now on no fault of Kafka ends this JVM, not even one of a broker that was stopped. */
    static void listen(Consumer<String> listener) {
      Exit.setExitProcedure(FatalFaults::fault);
      Exit.setHaltProcedure(FatalFaults::fault);
      LISTENERS.add(listener);
    }

    static void forget(Consumer<String> listener) {
      LISTENERS.remove(listener);
    }

    private static void fault(int status, @Nullable String message) {
      String where =
          StackWalker.getInstance()
              .walk(frames -> frames.filter(FatalFaults::ofKafka).findFirst())
              .map(frame -> frame.getClassName() + "." + frame.getMethodName())
              .orElse("an unknown place");
      String detail =
          message == null || message.isBlank() ? "" : ": " + message.lines().findFirst().orElse("");
      String line = "Kafka met a fatal fault (status " + status + ") in " + where + detail;
      LISTENERS.forEach(listener -> listener.accept(line));
    }

    private static boolean ofKafka(StackFrame frame) {
      String name = frame.getClassName();
      return !name.equals(FatalFaults.class.getName())
          && !name.endsWith(".Exit")
          && !name.contains(".Exit$")
          && !name.contains(".fault.");
    }
  }
}
