package dev.flyball.program.doctor;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.publish.PollStateReader;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Checks each source: what it needs on this machine, and how the polls of its tracker go by
 * poll-state, whichever producer polls it and wherever that runs.
 *
 * @param limits of the breaker that pauses polls
 * @param asker asks a tracker now
 */
public record SourceCheck(Breaker.Limits limits, Instant now, Asker asker) {
  private static final String NO_TOKEN = "name a token with token-env, token-file or token-command";

  /** Sends a request to a tracker; returns why it does not answer, empty if it does. */
  public interface Asker {
    Optional<TrackerFailure> ask(SourceConfig source, @Nullable String cursor);
  }

  /**
   * What each source needs on this machine: its file, or its token, of which only the place is
   * shown. A token command is run. Sends no request to a tracker.
   */
  static Stream<Finding> all(List<SourceConfig> sources, Map<String, String> environment) {
    return sources.stream()
        .flatMap(source ->
            Stream.concat(
                Stream.of(one(source, environment)),
                source.rules().writeBack() instanceof WriteBack.Webhook webhook
                    ? webhook("write-back " + source.key(), webhook, environment)
                    : Stream.empty()));
  }

  private static Stream<Finding> webhook(
      String check, WriteBack.Webhook webhook, Map<String, String> environment) {
    String what = "webhook to " + webhook.url().getHost();
    Stream<Finding> token = Stream.of(withToken(check, what, webhook.token(), environment));
    return webhook.secret() instanceof Credential.None
        ? token
        : Stream.concat(
            token,
            Stream.of(withToken(check, what + ", its signature", webhook.secret(), environment)));
  }

  /** Warnings for the start of a service that polls these sources; none means that all is well. */
  public static List<String> warnings(List<SourceConfig> sources, Map<String, String> environment) {
    if (sources.isEmpty()) {
      return List.of(
          "no source is configured, so nothing is polled; `./flyball init` writes a flyball.yaml");
    }
    return all(sources, environment)
        .filter(finding -> finding.state() != Finding.State.OK)
        .map(finding -> finding.check() + ": " + finding.line())
        .toList();
  }

  private static Finding one(SourceConfig source, Map<String, String> environment) {
    String check = "source " + source.key();
    if (source instanceof SourceConfig.Jsonl file) {
      return file(check, file.path());
    }
    String what = source.type() + ", " + source.place();
    return source instanceof SourceConfig.GitHub && source.token() instanceof Credential.None
        ? Finding.degraded(
            check,
            what + ", asked without a token: 60 requests an hour, shared by your address",
            NO_TOKEN)
        : withToken(check, what, source.token(), environment);
  }

  private static Finding file(String check, Path path) {
    String what = "jsonl, " + path;
    if (!Files.exists(path)) {
      return Finding.degraded(check, what + " is not there", "put it there, or correct its path");
    }
    if (!Files.isRegularFile(path) && !Files.isDirectory(path)) {
      return Finding.degraded(
          check, what + " is neither a file nor a folder", "name one of them as its path");
    }
    return Files.isReadable(path)
        ? Finding.ok(check, what)
        : Finding.degraded(check, what + " is not readable for this user", "check its permissions");
  }

  private static Finding withToken(
      String check, String what, Credential token, Map<String, String> environment) {
    try {
      Optional<String> secret = Tokens.read(token, environment);
      return Finding.ok(
          check, what + (secret.isPresent() ? ", token from " + place(token) : ", no token"));
    } catch (SourceFailure e) {
      return Finding.degraded(
          check,
          what + ": " + e.getMessage(),
          switch (token) {
            case Credential.Command _ -> "correct token-command";
            case Credential.InFile _ -> "put the token into that file, or correct token-file";
            case Credential.Environment(String variable) ->
                "export "
                    + variable
                    + " in the shell or service file that starts the producer, or name a file"
                    + " with token-file";
            case Credential.None _ -> NO_TOKEN;
          });
    }
  }

  private static String place(Credential token) {
    return switch (token) {
      case Credential.None _ -> "nowhere";
      case Credential.Environment(String variable) -> "the environment variable " + variable;
      case Credential.InFile(Path file) -> file.toString();
      case Credential.Command _ -> "its command";
    };
  }

  /**
   * How polls go: asks each tracker whose polls are not paused.
   *
   * @param clients of the Kafka with poll-state; empty if there is none
   */
  Stream<Finding> polls(List<SourceConfig> sources, Optional<KafkaClients> clients) {
    List<SourceConfig> trackers =
        sources.stream().filter(source -> !(source instanceof SourceConfig.Jsonl)).toList();
    if (trackers.isEmpty() || clients.isEmpty()) {
      return trackers.stream().map(source -> poll(source, null));
    }
    try (var states = new PollStateReader(clients.get(), (record, reason) -> {})) {
      return trackers.stream()
          .map(source -> poll(source, states.read(source.key())))
          .toList()
          .stream();
    } catch (KafkaException e) {
      return Stream.of(
          Finding.degraded(
              "polls", "poll-state cannot be read: " + e.getMessage(), "see kafka and topics"));
    }
  }

  Finding poll(SourceConfig source, @Nullable PollState state) {
    String check = "polls " + source.key();
    Instant polledAt = state == null ? null : state.polledAt();
    String last =
        polledAt == null
            ? "never polled"
            : "last poll " + TimeSpan.age(Duration.between(polledAt, now)) + " ago";
    Trouble trouble = state == null ? null : state.trouble();
    var breaker = new Breaker(source.key(), limits, System::nanoTime);
    breaker.restore(trouble, Optional.ofNullable(polledAt), now);
    String paused = breaker.suspended().orElse(null);
    if (trouble != null && paused != null) {
      String found =
          String.join(", ", last, trouble.category(), trouble.failures() + " failures in a row")
              + "; "
              + paused;
      return trouble.failures() == 0
          ? Finding.ok(check, found)
          : Finding.degraded(check, found, fix(trouble.category(), false));
    }
    return asker
        .ask(source, state == null ? null : state.cursor())
        .map(why -> {
          String category = why.category().label();
          return Finding.degraded(
              check, last + "; asked now, " + category + ": " + why.reason(), fix(category, true));
        })
        .orElseGet(() -> Finding.ok(check, last + "; answers"));
  }

  /**
   * What helps against a failure.
   *
   * @param now whether doctor's own request failed: then there is no pause to wait for, and a token
   *     from the environment is that of the user who runs doctor
   */
  private static String fix(String category, boolean now) {
    return switch (category) {
      case "auth" ->
          now
              ? "set the token if the check of the source says that it is missing, otherwise renew"
                  + " it or its rights; doctor uses the credential of the shell that starts it"
              : "renew the token or its rights; it is tried when the time is up";
      case "not found" -> "correct the source's url, project or query";
      case "rate limited" -> "wait, or poll less often: a longer interval";
      case "malformed" -> "look whether its url is the tracker's own and no proxy answers";
      default -> "look whether the tracker is up and can be reached from here";
    };
  }
}
