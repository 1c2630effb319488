package dev.flyball.streams;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What differs between the topologies that {@link StreamApp} runs.
 *
 * @param title the beginning of its lines in health and in the log, for example "triage stream"
 * @param applicationId names its consumer group, its transactions and its internal topics
 * @param folder the folder of its stores; created if missing
 * @param commitInterval how long a result may wait until others can read it
 * @param properties further properties of Kafka Streams; they override the common ones, and the
 *     configuration overrides them
 * @param hopeless whether an error would come again in each new thread; the app then stops
 * @param waitedFor whether other parts wait for its results: then a row of deaths is an error that
 *     operators see on the terminal, otherwise only health and the log file have it
 */
public record StreamSettings(
    String title,
    String applicationId,
    Path folder,
    Duration commitInterval,
    Map<String, ?> properties,
    Predicate<Throwable> hopeless,
    boolean waitedFor) {

  public StreamSettings {
    properties = Map.copyOf(properties);
  }
}
