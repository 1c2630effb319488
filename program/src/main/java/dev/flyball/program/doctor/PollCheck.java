package dev.flyball.program.doctor;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Checks the polls of each tracker by poll-state, whichever producer polls it and wherever that
 * runs; and whether the tracker answers now, unless its polls are paused.
 */
record PollCheck(Breaker.Limits limits, Instant now, LongSupplier nanos, Asker asker) {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Sends a request to a tracker; returns why it does not answer, empty if it does. */
  interface Asker {
    Optional<TrackerFailure> ask(SourceConfig source, @Nullable String cursor);
  }

  /** Whether the topic poll-state exists; reading a missing one would take long. */
  static boolean hasTopic(KafkaClients clients) {
    try (var consumer = clients.consumer("doctor")) {
      return consumer.listTopics(LIMIT).containsKey(clients.topics().pollState());
    } catch (KafkaException e) {
      return false;
    }
  }

  /** Reads poll-state and asks each tracker whose polls are not paused. */
  List<Finding> all(List<SourceConfig> sources, KafkaClients clients) {
    List<SourceConfig> trackers = trackers(sources);
    if (trackers.isEmpty()) {
      return List.of();
    }
    try (var states = new PollStateReader(clients, (record, reason) -> {})) {
      return trackers.stream().map(source -> one(source, states.read(source.key()))).toList();
    } catch (KafkaException e) {
      return List.of(
          Finding.degraded(
              "polls", "poll-state cannot be read: " + e.getMessage(), "see kafka and topics"));
    }
  }

  /** Asks each tracker, without a poll-state. */
  List<Finding> all(List<SourceConfig> sources) {
    return trackers(sources).stream().map(source -> one(source, null)).toList();
  }

  private static List<SourceConfig> trackers(List<SourceConfig> sources) {
    return sources.stream().filter(source -> !(source instanceof SourceConfig.Jsonl)).toList();
  }

  Finding one(SourceConfig source, @Nullable PollState state) {
    String check = "polls " + source.key();
    String last = last(state);
    Trouble trouble = state == null ? null : state.trouble();
    if (trouble != null) {
      Duration left = left(source, trouble, Objects.requireNonNull(state));
      if (left.isPositive()) {
        return waiting(check, last, trouble, left);
      }
    }
    Optional<TrackerFailure> failure = asker.ask(source, state == null ? null : state.cursor());
    return failure
        .map(why ->
            Finding.degraded(
                check,
                last + "; asked now, " + why.category().label() + ": " + why.reason(),
                fixNow(why.category().label())))
        .orElseGet(() -> Finding.ok(check, last + "; answers"));
  }

  private String last(@Nullable PollState state) {
    Instant polledAt = state == null ? null : state.polledAt();
    return polledAt == null
        ? "never polled"
        : "last poll " + TimeSpan.age(Duration.between(polledAt, now)) + " ago";
  }

  private Duration left(SourceConfig source, Trouble trouble, PollState state) {
    var breaker = new Breaker(source.key(), limits, nanos);
    breaker.restore(trouble, Optional.ofNullable(state.polledAt()), now);
    return breaker.left();
  }

  private Finding waiting(String check, String last, Trouble trouble, Duration left) {
    boolean opened = trouble.failures() >= limits.failures();
    String found =
        last
            + ", "
            + trouble.category()
            + ", "
            + trouble.failures()
            + " failures in a row; "
            + (opened ? "breaker open" : "paused by its tracker")
            + " for another "
            + TimeSpan.remaining(left)
            + ": "
            + trouble.reason();
    return trouble.failures() == 0
        ? Finding.ok(check, found)
        : Finding.degraded(check, found, fix(trouble.category()));
  }

  /**
   * The fix for a failure of doctor's own request. There is no pause to wait for, and a token from
   * the environment is the one of the user who runs doctor.
   */
  private static String fixNow(String category) {
    return category.equals("auth")
        ? "set the token if the check of the source says that it is missing, otherwise renew it or"
            + " its rights; doctor uses the credential of the shell that starts it"
        : fix(category);
  }

  private static String fix(String category) {
    return switch (category) {
      case "auth" -> "renew the token or its rights; it is tried when the time is up";
      case "not found" -> "correct the source's url, project or query";
      case "rate limited" -> "wait, or poll less often: a longer interval";
      case "malformed" -> "look whether its url is the tracker's own and no proxy answers";
      default -> "look whether the tracker is up and can be reached from here";
    };
  }
}
