package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.events.SessionEvents;
import dev.flyball.runner.session.SessionEnd;
import dev.flyball.runner.session.SessionMachine;
import dev.flyball.runner.session.SessionStep;
import dev.flyball.runner.session.Vitals;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the steps of an execution: processes, events, journal and lease. */
final class ExecutionSteps {
  private static final Logger log = LoggerFactory.getLogger(ExecutionSteps.class);
  private static final Duration INTERRUPT = Duration.ofSeconds(2);
  private static final Duration VERIFY = Duration.ofSeconds(2);

  /** How long a provider is paused that rejected a call without naming an end. */
  private static final Duration LIMITED = Duration.ofMinutes(1);

  /** An end that is further away than this is cut to it: an agent may report any time. */
  private static final Duration LONGEST_LIMIT = Duration.ofDays(8);

  private final ExecutionSeams seams;
  private final TreeEnd tree;

  ExecutionSteps(ExecutionSeams seams) {
    this.seams = seams;
    this.tree = new TreeEnd(seams);
  }

  ExecutionSeams seams() {
    return seams;
  }

  /** Attaches the process to the handle, so that every thread that cleans up finds it. */
  LiveSession attached(SessionHandle handle, ContainedProcess process) {
    var chunks =
        new OutputChunks(
            handle.session(),
            handle.token().toString(),
            seams.redactor(),
            seams.events(),
            seams.clock());
    var machine =
        new SessionMachine(
            seams.limits(), seams.adapter().identifiedAtSpawn(), System.nanoTime() / 1_000_000);
    var agent =
        new LiveSession(
            process,
            machine,
            new AgentStreams(seams.adapter().reader(), chunks),
            chunks,
            seams.sampleEvery());
    handle.attach(agent);
    return agent;
  }

  /** Reports that the agent was started, and begins to read its output. */
  void began(SessionHandle handle, LiveSession agent) {
    say(
        handle,
        EventType.SESSION_SPAWNED,
        EventData.EMPTY
            .with(Field.PID, agent.identity().pid())
            .with(Field.LEVEL, level())
            .with(Field.AGENT, agent()));
    if (seams.adapter().identifiedAtSpawn()) {
      say(
          handle,
          EventType.SESSION_IDENTIFIED,
          EventData.EMPTY.with(Field.AGENT_SESSION, handle.session()));
    }
    agent.begin();
  }

  /** Carries out the machine's decisions until the tree is verified dead. */
  KillReport watch(SessionHandle handle, LiveSession agent) throws InterruptedException {
    while (true) {
      SessionStep step = agent.next();
      Usage used = agent.vitals().usage();
      handle.used(used.tokens(), used.costMicros());
      switch (step) {
        case null -> {}
        case SessionStep.Kill kill -> {
          return tree.end(handle, agent, kill.atOnce() ? KillLadder.now(VERIFY) : ladder());
        }
        case SessionStep.Finish finish -> {
          return tree.end(handle, agent, ladder());
        }
        case SessionStep.Identified who ->
            say(
                handle,
                EventType.SESSION_IDENTIFIED,
                EventData.EMPTY
                    .with(
                        Field.AGENT_SESSION,
                        who.agentSession() == null
                            ? handle.session()
                            : redacted(who.agentSession()))
                    .with(Field.MODEL, redactedOrNull(who.model())));
        case SessionStep.Progress progress -> progress(handle, progress);
        case SessionStep.Hung hung ->
            say(
                handle,
                EventType.SESSION_HUNG,
                EventData.EMPTY
                    .with(Field.REASON, "silent for " + hung.silentMs() / 1000 + " s")
                    .with(Field.OUTPUT_AGE_MS, hung.silentMs()));
        case SessionStep.Recovered recovered ->
            say(handle, EventType.SESSION_RECOVERED, EventData.EMPTY);
      }
    }
  }

  private KillLadder ladder() {
    return new KillLadder(
        seams.adapter().endsTurnOnInterrupt() ? INTERRUPT : Duration.ZERO,
        seams.limits().grace(),
        VERIFY);
  }

  private void progress(SessionHandle handle, SessionStep.Progress progress) {
    if (!seams.lease().confirmedLately(handle)) {
      return;
    }
    Vitals vitals = progress.vitals();
    EventData data =
        EventData.EMPTY
            .with(Field.PROCESSES, vitals.tree().processes())
            .with(Field.PROCESSES_PEAK, vitals.tree().processesPeak())
            .with(Field.MEMORY_PEAK_BYTES, vitals.tree().memoryPeakBytes())
            .with(Field.INPUT_TOKENS, vitals.usage().inputTokens())
            .with(Field.OUTPUT_TOKENS, vitals.usage().outputTokens())
            .with(Field.CACHED_TOKENS, vitals.usage().cachedTokens())
            .with(Field.COST_MICROS, vitals.usage().costMicros())
            .with(
                Field.OUTPUT_AGE_MS, Math.max(0, System.nanoTime() / 1_000_000 - vitals.outputMs()))
            .with(Field.REASON, progress.note());
    seams.events().offer(events(handle).event(EventType.SESSION_PROGRESSED, data));
  }

  void say(SessionHandle handle, EventType type, EventData data) {
    var _ = seams.events().publish(events(handle).event(type, data));
  }

  /**
   * Publishes the result. Returns how the session ends once the result is published or cannot be.
   */
  SessionEnd sayResult(
      SessionHandle handle, SessionEnd end, EventData figures, SessionResult result)
      throws InterruptedException {
    return new ResultReport(seams.events(), seams.lease(), events(handle), figures).of(end, result);
  }

  /**
   * Pauses the provider. This happens before the release, so that the slot which the release frees
   * does not start the next session into the same limit.
   *
   * @param until when the provider answers again, in seconds since 1970; 0 if unknown, {@link
   *     Vitals#UNTIL_RESUMED} if its account is empty
   */
  void providerLimited(SessionHandle handle, long until, String why) {
    String provider = handle.request().provider();
    if (provider == null) {
      return;
    }
    if (until == Vitals.UNTIL_RESUMED) {
      seams.lease().providerLimited(provider, null, LedgerEntry.Pause.exhausted(why));
    } else {
      long now = seams.clock().instant().getEpochSecond();
      long end = Math.clamp(until, now + LIMITED.toSeconds(), now + LONGEST_LIMIT.toSeconds());
      seams.lease().providerLimited(provider, Instant.ofEpochSecond(end), why);
    }
  }

  void release(SessionHandle handle, LedgerEntry.Release release) {
    if (handle.releasing()) {
      seams.lease().dead(release);
    }
  }

  void close(SessionHandle handle) throws InterruptedException {
    try {
      handle.whenClosed().get();
      seams.journal().closed(handle.session());
    } catch (ExecutionException | IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("session {}: journal row not closed: {}", handle.session(), e.getMessage());
    }
  }

  long nowNanos() {
    return seams.lease().nowNanos();
  }

  String level() {
    return seams.containment().level().label();
  }

  String agent() {
    return seams.adapter().label();
  }

  String redacted(String text) {
    return seams.redactor().redact(text);
  }

  @Nullable String redactedOrNull(@Nullable String text) {
    return text == null ? null : redacted(text);
  }

  /** A reason may quote the agent's output, so it is redacted. */
  SessionEnd redacted(SessionEnd end) {
    String reason = end.reason();
    return reason == null ? end : new SessionEnd(end.outcome(), end.failure(), redacted(reason));
  }

  Passage redacted(Passage passage) {
    return new Passage(
        redacted(passage.path()),
        passage.fromLine(),
        passage.toLine(),
        redacted(passage.excerpt()));
  }

  /**
   * The milliseconds from the request's publication to {@code agoNanos} before now, never negative,
   * because the two clocks differ.
   */
  long waitedMs(SessionHandle handle, long agoNanos) {
    long then = seams.clock().millis() - agoNanos / 1_000_000;
    return Math.max(0, then - handle.publishedMs());
  }

  private SessionEvents events(SessionHandle handle) {
    return handle.events(seams.clock());
  }
}
