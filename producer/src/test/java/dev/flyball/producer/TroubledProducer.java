package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.SettableClock;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A whole producer with one source, which asks a tracker of a given type over the network. Its
 * clocks stop until a test moves them. The tracker holds four items; three of them are edited
 * together, so that they are on two pages.
 */
final class TroubledProducer implements AutoCloseable {
  static final String TOKEN = "s3cr3t-7b1f0c2d9e4a";
  static final int ITEMS = 4;

  /** Longer than all the time that a test moves in one step: leases are tested elsewhere. */
  private static final PollClocks CLOCKS =
      new PollClocks(Duration.ofDays(1), Duration.ofMillis(500), Duration.ofSeconds(30));

  /** Shorter than every source's overlap: what was published before is read again. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final String tenant;
  private final Path data;
  private final SettableClock clock = new SettableClock();
  private final Telemetry telemetry = new Telemetry();
  private final AtomicInteger asked = new AtomicInteger();
  private final RunningProducer running;

  /** What the tracker holds, and how it answers; written by the test, read by its connections. */
  private volatile List<RestTracker.Item> items;

  private volatile @Nullable FaultReply fault;
  private volatile boolean onlyAtTheEnd;

  /**
   * Polls when the test calls for it.
   *
   * @param name of its trouble, in its key and so in every line of it
   * @param data its folder
   */
  TroubledProducer(KafkaFixture kafka, String name, FaultServer tracker, Path data)
      throws IOException {
    this.tenant = name.toLowerCase(Locale.ROOT).replace('_', '-');
    tracker.otherwise(this::answer);
    this.data = data;
    Path token = Files.writeString(data.resolve("token"), TOKEN + "\n");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    var begun = new ArrayList<RestTracker.Item>();
    for (int id = 1; id <= ITEMS; id++) {
      begun.add(new RestTracker.Item(id, "Item " + id, 1, clock.instant()));
    }
    this.items = List.copyOf(begun);
    clock.advance(SOON);
    var identity = new SourceConfig.Identity(tenant, "a", SourceConfig.DEFAULT_INTERVAL);
    SourceConfig source = RestTracker.config(identity, tracker.url(), new Credential.InFile(token));
    this.running =
        new RunningProducer(
            new ProducerConfig(
                data,
                List.of(source),
                CLOCKS,
                BreakerLimits.DEFAULT,
                ProducerConfig.DEFAULT_TEXT_LIMIT,
                ProducerConfig.DEFAULT_FINGERPRINT_FIELDS),
            kafka.settings(),
            telemetry,
            clock,
            clock.ticker(),
            Watched::new);
    running.begin(false);
  }

  String key() {
    return tenant + "/a";
  }

  boolean owns(@Nullable String recordKey) {
    return recordKey != null && recordKey.startsWith(tenant + "/");
  }

  /** Edits all items of the tracker but the last. */
  void edit() {
    clock.advance(SOON);
    items =
        items.stream()
            .map(item -> item.id() == ITEMS ? item : item.edited(clock.instant()))
            .toList();
  }

  /** The tracker answers every request like this from now on. */
  void breaks(FaultReply reply) {
    fault = reply;
  }

  /** Only the request for the rest of the changes fails; their beginning is answered. */
  void breaksOnlyAtTheEnd(boolean only) {
    onlyAtTheEnd = only;
  }

  /** The tracker works again. */
  void mends() {
    fault = null;
  }

  void passes(Duration time) {
    clock.advance(time);
  }

  /** Polls; the poll must succeed. */
  PollReport.Finished finishes() {
    PollReport report = running.poll(key());
    assertThat(report).isInstanceOf(PollReport.Finished.class);
    return (PollReport.Finished) report;
  }

  /** Polls; the poll must fail. Returns the line with the reason. */
  String fails() {
    int before = asked.get();
    PollReport report = running.poll(key());
    assertThat(report).isInstanceOf(PollReport.Failed.class);
    assertThat(asked).as("polls of the tracker").hasValue(before + 1);
    return ((PollReport.Failed) report).reason();
  }

  /** Polls; the poll must be skipped without a request. Returns the line with the reason. */
  String isRefused() {
    int before = asked.get();
    PollReport report = running.poll(key());
    assertThat(report).isInstanceOf(PollReport.Skipped.class);
    assertThat(asked).as("polls of the tracker").hasValue(before);
    return ((PollReport.Skipped) report).reason();
  }

  Health health() {
    return running.health();
  }

  String metrics() {
    return telemetry.scrape();
  }

  /** Closes the producer; everything that it writes is then written. */
  @Override
  public void close() {
    running.end();
  }

  private FaultReply answer(FaultRequest request) {
    FaultReply bad = fault;
    return bad == null || (onlyAtTheEnd && !RestTracker.isLast(request))
        ? RestTracker.answer(request, items, clock.instant())
        : bad;
  }

  /** The real source, which counts how often it is asked. */
  private final class Watched implements Source {
    private final Source real;

    Watched(SourceConfig config, InstantSource clock) {
      real = Sources.open(config, clock);
    }

    @Override
    public PollResult poll(@Nullable String cursor, RequestPermission permission) {
      asked.incrementAndGet();
      return real.poll(cursor, permission);
    }

    @Override
    public Optional<Instant> horizon(String cursor) {
      return real.horizon(cursor);
    }
  }
}
