package dev.flyball.ops.telemetry;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

/**
 * The one registry of a process, passed to every app; never static. Our own meters have only names
 * from the catalogue {@link Metric}. Any thread.
 */
public final class Telemetry {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /**
   * The newest source of each gauge, held strongly: Micrometer holds its own weakly and shows NaN
   * after a garbage collection. Written by services as they start, read by scrapes.
   */
  private final ConcurrentMap<Series, DoubleSupplier> gauges = new ConcurrentHashMap<>();

  /** Listens to the collectors as long as the process lives. */
  private final JvmGcMetrics gc = new JvmGcMetrics();

  private final List<Runnable> measures = new CopyOnWriteArrayList<>();

  /** The registry for binders of libraries. */
  public MeterRegistry registry() {
    return registry;
  }

  /** Runs this before every scrape, one scrape at a time: it may replace series. */
  public void beforeScrape(Runnable measure) {
    measures.add(measure);
  }

  /** Adds one to a counter of the catalogue. */
  public void count(Metric metric, String... tagValues) {
    count(metric, 1.0, tagValues);
  }

  /** Adds to a counter of the catalogue. */
  public void count(Metric metric, double amount, String... tagValues) {
    Series series = series(metric, Metric.Kind.COUNTER, tagValues);
    Counter.builder(metric.prometheus())
        .tags(series.asTags())
        .description(metric.meaning())
        .register(registry)
        .increment(amount);
  }

  /** Shows a gauge from now on; a later call replaces its source, as a restarted service does. */
  public void gauge(Metric metric, DoubleSupplier value, String... tagValues) {
    Series series = series(metric, Metric.Kind.GAUGE, tagValues);
    if (gauges.put(series, value) != null) {
      return;
    }
    Gauge.builder(metric.prometheus(), gauges, all -> read(all, series))
        .tags(series.asTags())
        .description(metric.meaning())
        .strongReference(true)
        .register(registry);
  }

  /**
   * Shows a counter of the catalogue that something else counts, from now on; a later call replaces
   * the source. Its value must only grow.
   */
  public void counter(Metric metric, DoubleSupplier total, String... tagValues) {
    Series series = series(metric, Metric.Kind.COUNTER, tagValues);
    if (gauges.put(series, total) != null) {
      return;
    }
    FunctionCounter.builder(metric.prometheus(), gauges, all -> read(all, series))
        .tags(series.asTags())
        .description(metric.meaning())
        .register(registry);
  }

  /** The current value of a gauge without tags; empty if no service shows it. */
  public OptionalDouble gauge(Metric metric) {
    DoubleSupplier value = gauges.get(new Series(metric, List.of()));
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.getAsDouble());
  }

  /** Adds the JVM's own figures: memory, collections, threads, files, processors, uptime. */
  public void bindProcess() {
    gc.bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** All meters in Prometheus' text format. */
  public synchronized String scrape() {
    measures.forEach(Runnable::run);
    return registry.scrape();
  }

  private static double read(ConcurrentMap<Series, DoubleSupplier> all, Series series) {
    DoubleSupplier source = all.get(series);
    return source == null ? Double.NaN : source.getAsDouble();
  }

  private static Series series(Metric metric, Metric.Kind kind, String... tagValues) {
    if (metric.kind() != kind || metric.tags().size() != tagValues.length) {
      throw new IllegalArgumentException(
          metric + " is a " + metric.kind() + " with tags " + metric.tags());
    }
    return new Series(metric, List.of(tagValues));
  }

  private record Series(Metric metric, List<String> values) {
    Tags asTags() {
      return Tags.of(
          IntStream.range(0, values.size())
              .mapToObj(i -> Tag.of(metric.tags().get(i), values.get(i)))
              .toList());
    }
  }
}
