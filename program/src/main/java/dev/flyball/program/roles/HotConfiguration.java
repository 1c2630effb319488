package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.SourceChanges;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfiguredSource;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration file again when it changes while a service runs. A valid one takes effect
 * immediately for the producer's sources; an invalid one changes nothing, and is reported until it
 * is fixed. The content is checked every two seconds: time stamps can be wrong after a copy, and a
 * kernel notification is lost with a folder that an editor replaces.
 */
public final class HotConfiguration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HotConfiguration.class);
  private static final Duration LOOK = Duration.ofSeconds(2);
  private static final int MAX_BYTES = 1 << 20;
  private static final String KEPT =
      "flyball.yaml is not applied, the previous configuration stays: ";

  /** Checks in a row without the file until it counts as deleted. */
  private static final int GONE_AFTER = 3;

  private final Again again;
  private final Configuration started;
  private final Function<ProducerConfig, SourceChanges> apply;
  private final ScheduledExecutorService checks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofVirtual().name("configuration").factory());

  /** Why the last valid configuration is still in force; the checking thread writes it. */
  private volatile @Nullable String trouble;

  /** The keys last reported as needing more than a new file; used by the checking thread only. */
  private List<String> saidLater = List.of();

  /** What is polled now; used by the checking thread only. */
  private List<SourceConfig> polled;

  /** What was read last, and what the check before saw; used by the checking thread only. */
  private @Nullable String read;

  private @Nullable String seen;
  private int absent;

  /**
   * How the configuration is read again.
   *
   * @param file the file to check
   * @param load loads all layers again, options over them
   * @param say takes one line for a person
   */
  public record Again(Path file, Supplier<Configuration> load, Consumer<String> say) {}

  /**
   * Checks nothing before {@link #start}.
   *
   * @param started the configuration of everything that cannot change at run time
   * @param apply applies the rest
   */
  HotConfiguration(
      Again again, Configuration started, Function<ProducerConfig, SourceChanges> apply) {
    this.again = again;
    this.started = started;
    this.apply = apply;
    this.polled = new AppConfigurations(started).producer().sources();
  }

  /** Starts to check. */
  void start() {
    var _ =
        checks.scheduleWithFixedDelay(
            this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * One check. A content is read once two checks in a row saw it: an editor may be in the middle of
   * writing, and half a file may be a valid one with half the sources. Editors also remove a file
   * for a moment to replace it, so it counts as deleted only if it stays away.
   */
  void look() {
    String content = content();
    boolean settled = Objects.equals(content, seen);
    seen = content;
    absent = content == null ? absent + 1 : 0;
    if (read != null && absent >= GONE_AFTER) {
      // The same content again is then a change, too: it ends the trouble.
      read = null;
      keep(List.of(again.file() + ": no such file"));
    } else if (content != null && settled && !content.equals(read)) {
      read = content;
      try {
        take(again.load().get());
      } catch (ConfigurationError e) {
        keep(e.lines());
      } catch (RuntimeException e) {
        keep(List.of(again.file() + ": " + e.getMessage()));
      }
    }
  }

  /** Everything is looked at before any of it counts. */
  private void take(Configuration next) {
    var apps = new AppConfigurations(next);
    apps.check();
    var sources = ConfiguredSource.Reload.of(started, next, polled);
    ProducerConfig producer = apps.producer(sources.polled());
    SourceChanges changes;
    try {
      changes = apply.apply(producer);
    } catch (RuntimeException e) {
      LOG.debug("{} cannot be taken up", again.file(), e);
      // The next check reads it again.
      read = null;
      keep(List.of(again.file() + ": it cannot be taken up yet: " + e.getMessage()));
      return;
    }
    polled = producer.sources();
    var later = new ArrayList<>(started.later(next));
    later.addAll(sources.later());
    var news = new ArrayList<String>();
    if (!changes.none()) {
      news.add(changes.text());
    }
    if (!later.equals(saidLater)) {
      news.addAll(later);
    }
    saidLater = later;
    if (news.isEmpty() && trouble != null) {
      news.add("as it was before");
    }
    trouble = null;
    if (!news.isEmpty()) {
      String line = again.file() + " read again: " + String.join("; ", news);
      LOG.info("{}", line);
      again.say().accept(line);
    }
  }

  /** The last valid configuration stays; reported once. */
  private void keep(List<String> lines) {
    String more = lines.size() == 1 ? "" : " (and " + (lines.size() - 1) + " more)";
    String why = KEPT + lines.getFirst() + more;
    if (!why.equals(trouble)) {
      trouble = why;
      LOG.warn("{}{}", KEPT, String.join("; ", lines));
      again.say().accept(why);
    }
  }

  /** Degraded while the file is invalid or missing. */
  Health health() {
    String why = trouble;
    return why == null ? Health.healthy() : Health.degraded("configuration", why);
  }

  /** Begins no check and waits for one in progress, which may reconfigure an app to be stopped. */
  @Override
  public void close() {
    checks.shutdown();
    try {
      var _ = checks.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable String content() {
    try (var in = Files.newInputStream(again.file())) {
      // One byte more than a configuration may have: a larger file is rejected, whatever it
      // contains.
      return new String(in.readNBytes(MAX_BYTES + 1), StandardCharsets.ISO_8859_1);
    } catch (IOException absentOrUnreadable) {
      return null;
    }
  }
}
