package dev.flyball.kafka;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Takes the figures that Kafka's clients and Kafka Streams keep of themselves, as they appear and
 * end. Called by any thread; must not block and must not throw.
 */
public interface ClientObserver {
  /**
   * A figure appeared.
   *
   * @param source identifies it until {@link #removed}
   * @param group Kafka's group of it, for example {@code producer-metrics}
   * @param tags Kafka's own tags, the client's id among them
   * @param value its present value; NaN if nothing was measured lately
   */
  void added(
      Object source, String group, String name, Map<String, String> tags, DoubleSupplier value);

  /** A figure ended, for example because its client was closed. */
  void removed(Object source);
}
