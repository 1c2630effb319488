package dev.flyball.standalone.doctor;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.breaker.Left;
import dev.flyball.producer.breaker.TrackerBreaker;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.producer.source.SourceConfig;
import dev.flyball.standalone.terminal.Age;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** How the polls of each tracker go, as poll-state says: whoever polls it, wherever that runs. */
final class PollCheck {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final BreakerLimits limits;
  private final Instant now;
  private final LongSupplier nanos;

  PollCheck(BreakerLimits limits, Instant now, LongSupplier nanos) {
    this.limits = limits;
    this.now = now;
    this.nanos = nanos;
  }

  /** Whether there is a poll-state; reading one that is not there would take long. */
  static boolean hasTopic(KafkaClients clients) {
    try (var consumer = clients.consumer("doctor")) {
      return consumer.listTopics(LIMIT).containsKey(clients.topics().pollState());
    } catch (KafkaException e) {
      return false;
    }
  }

  /** Reads poll-state. */
  List<Finding> all(List<SourceConfig> sources, KafkaClients clients) {
    List<SourceConfig> trackers =
        sources.stream().filter(source -> !(source instanceof SourceConfig.Jsonl)).toList();
    if (trackers.isEmpty()) {
      return List.of();
    }
    try (var states = new PollStateReader(clients, (record, reason) -> {})) {
      return trackers.stream().map(source -> one(source.key(), states.read(source.key()))).toList();
    } catch (KafkaException e) {
      return List.of(
          Finding.degraded(
              "polls", "poll-state cannot be read: " + e.getMessage(), "see kafka and topics"));
    }
  }

  Finding one(String source, @Nullable PollState state) {
    String check = "polls " + source;
    Instant polledAt = state == null ? null : state.polledAt();
    if (state == null || polledAt == null) {
      return Finding.ok(check, "never polled");
    }
    String last = "last poll " + Age.of(Duration.between(polledAt, now)) + " ago";
    Trouble trouble = state.trouble();
    return trouble == null ? Finding.ok(check, last) : troubled(check, source, last, state);
  }

  private Finding troubled(String check, String source, String last, PollState state) {
    Trouble trouble = Objects.requireNonNull(state.trouble());
    var breaker = new TrackerBreaker(source, limits, nanos);
    breaker.restore(trouble, Optional.ofNullable(state.polledAt()), now);
    Duration left = breaker.left();
    boolean opened = trouble.failures() >= limits.failures();
    String standing =
        left.isPositive()
            ? (opened ? "breaker open" : "left alone as it asked")
                + " for another "
                + Left.text(left)
            : "asked again with the next poll";
    String found =
        last
            + ", "
            + trouble.category()
            + ", "
            + trouble.failures()
            + " failures in a row; "
            + standing
            + ": "
            + trouble.reason();
    return trouble.failures() == 0
        ? Finding.ok(check, found)
        : Finding.degraded(check, found, mend(trouble.category()));
  }

  private static String mend(String category) {
    return switch (category) {
      case "auth" -> "renew the token or its rights; it is tried when the time is up";
      case "not found" -> "correct the source's url, project or query";
      case "rate limited" -> "wait, or poll less often: a longer interval";
      case "malformed" -> "look whether its url is the tracker's own and no proxy answers";
      default -> "look whether the tracker is up and can be reached from here";
    };
  }
}
