package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Runners at a test's broker, requests to them, and what the topics say of their sessions. */
record RunnerFixture(KafkaFixture kafka) {

  static RunnerConfig config(
      String id,
      Path data,
      LeaseTimes clocks,
      AgentProgram agent,
      Repositories repositories,
      RunnerConfig.Confinement confinement,
      SessionLimits limits) {
    return new RunnerConfig(
        id,
        data,
        new RunnerConfig.Ledger(3, List.of(), clocks),
        new RunnerConfig.Agents(
            List.of(AgentProfile.usual(agent)),
            repositories,
            List.of(),
            DeepPrompt.BUNDLED,
            confinement),
        RunnerConfig.Slots.DEFAULT,
        limits,
        GateLimits.DEFAULT);
  }

  /** A program that is this script. */
  static Path agent(Path folder, String script) throws IOException {
    Path file = folder.resolve("agent-" + UUID.randomUUID());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  SessionRequest request(String item) {
    return request(item, null);
  }

  SessionRequest request(String item, @Nullable String provider) {
    var snapshot = Sample.snapshot("Search is slow", "The search takes 30 s.");
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    var request = Sample.request(UUID.randomUUID().toString(), 2, now, provider, snapshot);
    kafka.produce(kafka.topics().sessionRequests(), item, request);
    return request;
  }

  /** Waits for the session of a request to start, and returns its id. */
  String spawned(SessionRequest request) {
    var asked = Optional.of(request.request());
    return event(EventType.SESSION_SPAWNED, it -> it.data().text(Field.REQUEST).equals(asked))
        .data()
        .text(Field.SESSION)
        .orElseThrow();
  }

  SessionResult result(Predicate<LifecycleEvent> which) {
    return event(EventType.SESSION_RESULT, which)
        .data()
        .record(Field.RESULT, SessionResult.class)
        .orElseThrow();
  }

  SessionResult result(LedgerEntry.Release release) {
    var session = Optional.of(release.session());
    return result(it -> it.data().text(Field.SESSION).equals(session));
  }

  /** Waits for the first such event. */
  private LifecycleEvent event(EventType type, Predicate<LifecycleEvent> which) {
    return await()
        .until(
            () ->
                kafka.events().stream()
                    .filter(it -> it.type() == type && which.test(it))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Waits for the end of the session of a request. */
  LedgerEntry.Release release(SessionRequest request) {
    return await()
        .until(
            () -> {
              List<String> sessions =
                  entries(LedgerEntry.Claim.class).stream()
                      .filter(claim -> claim.request().equals(request.request()))
                      .map(LedgerEntry.Claim::session)
                      .toList();
              return entries(LedgerEntry.Release.class).stream()
                  .filter(release -> sessions.contains(release.session()))
                  .findFirst();
            },
            Optional::isPresent)
        .orElseThrow();
  }

  /** The ledger's entries of one kind. */
  <T extends LedgerEntry> List<T> entries(Class<T> kind) {
    return kafka.values(kafka.topics().sessionLedger(), LedgerEntry.class).stream()
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }
}
