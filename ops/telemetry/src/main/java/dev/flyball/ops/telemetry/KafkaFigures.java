package dev.flyball.ops.telemetry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/**
 * Shows the figures of {@link KafkaFigure}, a series for each client's name. Clients come and go:
 * those of one name are merged, and a series ends with its last client. Nothing is computed before
 * a scrape, and no thread runs, unlike in Micrometer's binders, which have one for each client. Any
 * thread.
 */
public final class KafkaFigures {
  /** Streams puts an id into the names of its clients: every start would make new series. */
  private static final Pattern ID =
      Pattern.compile("-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);

  private static final String CLIENT = "client-id";
  private static final String THREAD = "thread-id";

  private final MeterRegistry registry;

  /** What is shown; the keys of a series' sources are the objects that Kafka names on removal. */
  private final ConcurrentMap<Series, ConcurrentMap<Object, DoubleSupplier>> shown =
      new ConcurrentHashMap<>();

  private record Series(KafkaFigure figure, String client) {}

  KafkaFigures(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Takes a figure of a client; shows it if it is one of {@link KafkaFigure}.
   *
   * @param source identifies the figure until {@link #removed}
   * @param tags Kafka's own; a figure of one topic or partition is not shown
   */
  public void added(
      Object source, String group, String name, Map<String, String> tags, DoubleSupplier value) {
    KafkaFigure figure = KafkaFigure.of(group, name).orElse(null);
    if (figure == null || tags.containsKey("topic") || tags.containsKey("partition")) {
      return;
    }
    String id = tags.getOrDefault(CLIENT, tags.getOrDefault(THREAD, ""));
    var series = new Series(figure, ID.matcher(id).replaceAll(""));
    shown.compute(
        series,
        (key, sources) -> {
          if (sources == null) {
            sources = new ConcurrentHashMap<>();
            register(key);
          }
          sources.put(source, value);
          return sources;
        });
  }

  /** Drops a figure; one that is not known does nothing. */
  public void removed(Object source) {
    shown.forEach((series, sources) -> {
      if (sources.containsKey(source)) {
        shown.computeIfPresent(
            series,
            (key, left) -> {
              left.remove(source);
              if (!left.isEmpty()) {
                return left;
              }
              unregister(key);
              return null;
            });
      }
    });
  }

  private void register(Series series) {
    Gauge.builder(series.figure().prometheus(), shown, all -> value(all, series))
        .tag("client", series.client())
        .description(series.figure().meaning())
        .strongReference(true)
        .register(registry);
  }

  private void unregister(Series series) {
    Gauge gauge =
        registry.find(series.figure().prometheus()).tag("client", series.client()).gauge();
    if (gauge != null) {
      registry.remove(gauge);
    }
  }

  /** Kafka shows NaN where it has measured nothing lately, which is 0 here. */
  private static double value(
      ConcurrentMap<Series, ConcurrentMap<Object, DoubleSupplier>> all, Series series) {
    var sources = all.get(series);
    if (sources == null) {
      return 0;
    }
    DoubleStream measured =
        sources.values().stream().mapToDouble(DoubleSupplier::getAsDouble).filter(Double::isFinite);
    return switch (series.figure().merge()) {
      case SUM -> measured.sum();
      case MAX -> measured.max().orElse(0);
    };
  }
}
