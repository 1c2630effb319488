package dev.flyball.testkit;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The one broker of a test JVM: started by the first class that needs it, stopped when all tests
 * have run.
 */
final class SharedBroker implements AutoCloseable {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedBroker.class);

  private final Path folder;
  private final EmbeddedBroker broker;

  private SharedBroker(Path folder, EmbeddedBroker broker) {
    this.folder = folder;
    this.broker = broker;
  }

  static SharedBroker of(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(SharedBroker.class, key -> start(), SharedBroker.class);
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  private static SharedBroker start() {
    try {
      Path folder = Files.createTempDirectory("flyball-broker-");
      return new SharedBroker(folder, EmbeddedBroker.start(BrokerConfig.in(folder).opened()));
    } catch (IOException e) {
      throw new UncheckedIOException("no folder for the test broker", e);
    }
  }

  @Override
  public void close() {
    broker.close();
    Folders.delete(folder);
  }
}
