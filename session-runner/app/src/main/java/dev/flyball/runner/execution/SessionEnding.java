package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.EventSink.RecordRejected;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.Vitals;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of one session, from its verified dead tree to its release: what it is classified as,
 * what it is charged to, and what is published of it before the lease ends. Belongs to the
 * session's thread.
 *
 * @param start how its start ended
 * @param named what the agent named of itself
 * @param death how its tree ended
 */
record SessionEnding(
    Session session, Sessions all, StartAttempt.Start start, Identified named, Death death) {
  /** A later end of a limit is cut to this, in seconds since 1970: an agent may report any time. */
  private static final long LATEST = 1L << 40;

  /** Largest result sent, in bytes; any Kafka takes a record of this size. */
  static final int MOST_RESULT = 256 * 1024;

  private static final Failure REFUSED = new Failure(Failure.Kind.TRANSIENT, "result-refused");
  private static final Logger log = LoggerFactory.getLogger(SessionEnding.class);

  /**
   * How a tree ended.
   *
   * @param at elapsed nanoseconds at which it was verified dead
   * @param killed the report of the kill; null if there was none
   * @param exit how the agent itself ended; null if none was started
   */
  record Death(
      End cause, long at, @Nullable KillReport killed, @Nullable Exit exit, AgentAnswer answer) {

    /** Nothing was started, or it is unknown whether it was. */
    static Death unstarted(End cause, long at) {
      var none = new Failure(Failure.Kind.TRANSIENT, "not-started");
      return new Death(cause, at, null, null, new AgentAnswer.Broken(none, "never started", ""));
    }
  }

  /** Publishes the result and pauses the provider, then returns the session's release. */
  LedgerEntry.Release release() throws InterruptedException {
    End end = reported(classified());
    pauseProvider();
    return release(end);
  }

  private End classified() {
    End own = death.cause().given(death.answer(), death.exit()).reused(silentReuse());
    // A reason may quote the agent's output, so it is redacted.
    End end = own.with(own.outcome(), own.failure(), all.redactedOrNull(own.reason()));
    // The time that an agent takes which reports no tokens shows nothing about its runner.
    boolean silence = death.cause().by(End.Cause.TIMED_OUT) && !all.identifiedAtSpawn();
    var course =
        new Course(start.agent() != null, spoke(), death.cause().by(End.Cause.EXITED) || silence);
    return all.blame().charged(session, end, course);
  }

  private boolean spoke() {
    return switch (death.answer()) {
      case AgentAnswer.Complete complete -> true;
      case AgentAnswer.Broken broken ->
          start.agent() != null
              && (used().tokens() > 0 || (all.identifiedAtSpawn() && !broken.text().isBlank()));
    };
  }

  private boolean bySelf() {
    return death.cause().by(End.Cause.EXITED) && death.exit() != null && !death.exit().signalled();
  }

  /** Whether it went on with an earlier session of its agent, and ended without one token. */
  private boolean silentReuse() {
    return start.agent() != null
        && all.resumed(session) != null
        && bySelf()
        && Objects.equals(exitCode(), 0)
        && used().tokens() == 0;
  }

  private @Nullable Integer exitCode() {
    return death.exit() == null || death.exit().signalled() ? null : death.exit().code();
  }

  private @Nullable Integer signal() {
    return death.exit() == null || !death.exit().signalled() ? null : death.exit().signal();
  }

  /** Null where it does not matter: the agent ended by itself without having answered. */
  private @Nullable String turn() {
    LiveSession agent = start.agent();
    if (agent == null) {
      return null;
    }
    return agent.turnEnded() ? "ended" : receipt().killSteps().isEmpty() ? null : "cut";
  }

  /** Publishes the kill and the result; returns how the session ends with it, or without it. */
  private End reported(End end) throws InterruptedException {
    if (death.killed() != null && !death.killed().steps().isEmpty()) {
      all.say(session, EventType.SESSION_KILLED, figures(end).with(Field.REASON, end.text()));
    }
    if (death.answer().text().isBlank()) {
      return end;
    }
    String deserved =
        death.answer() instanceof AgentAnswer.Complete complete ? complete.deserved() : null;
    EventData data =
        figures(end)
            .with(Field.DESERVED, deserved)
            .with(Field.RESULT, result())
            .with(Field.FAILURE, end.failure())
            .with(Field.REASON, end.text());
    return sent(end, all.event(session, EventType.SESSION_RESULT, data), all.sink(), all.ledger());
  }

  /**
   * Sends the result before the lease is released, because the terminal event follows the release
   * and includes the result. It waits for a lease at most; a rejected result is sent again until
   * then, since topics can be altered. A session whose result the broker never accepts has failed:
   * run again without an attempt used up, it would end the same way and cost money without end.
   *
   * @return how the session ends with it, or without it
   */
  static End sent(End end, LifecycleEvent event, EventSink sink, Sessions.Ledger lease)
      throws InterruptedException {
    CompletableFuture<Void> acknowledged = sink.publish(event);
    long until = lease.nowNanos() + lease.patience().toNanos();
    boolean refused = false;
    while (lease.nowNanos() < until) {
      try {
        acknowledged.get(200, TimeUnit.MILLISECONDS);
        return end;
      } catch (ExecutionException e) {
        log.warn("result not acknowledged, sending it again: event={}", event.id());
        refused = e.getCause() instanceof RecordRejected;
        Thread.sleep(200);
        acknowledged = sink.publish(event);
      } catch (TimeoutException e) {
        log.debug("waiting for the acknowledgement of a result: event={}", event.id());
      }
    }
    return refused
        ? without(end, REFUSED, "the broker refuses its result")
        : without(end, null, "its result was not acknowledged");
  }

  /** A session may not end as completed unless its answer is published. */
  private static End without(End end, @Nullable Failure failure, String why) {
    return end.outcome() == Outcome.COMPLETED
        ? end.with(failure == null ? Outcome.INTERRUPTED : Outcome.FAILED, failure, why)
        : end;
  }

  private EventData figures(End end) {
    Receipt receipt = receipt();
    Usage booked = booked();
    return EventData.EMPTY
        .with(Field.OUTCOME, end.outcome().label())
        .with(Field.EXIT_CODE, exitCode())
        .with(Field.SIGNAL, signal())
        .with(Field.INPUT_TOKENS, booked.inputTokens())
        .with(Field.OUTPUT_TOKENS, booked.outputTokens())
        .with(Field.CACHED_TOKENS, booked.cachedTokens())
        .with(Field.COST_MICROS, booked.costMicros())
        .with(Field.PROCESSES_PEAK, receipt.processesPeak())
        .with(Field.MEMORY_PEAK_BYTES, receipt.memoryPeakBytes())
        .with(Field.KILL_STEPS, receipt.killSteps())
        .with(Field.TURN, turn())
        .with(Field.SURVIVORS, receipt.survivors());
  }

  private SessionResult result() {
    Workplace worked = start.worked();
    // The runner knows which commit it gave to the agent; a model only guesses.
    String commit = worked == null ? null : worked.commit();
    // With what people must know about the state of the repository that it is about.
    String note = worked == null || worked.note() == null ? "" : "\n\n" + worked.note();
    String text = all.redacted(death.answer().text()) + note;
    String prompt = all.agent().input().prompt();
    SessionResult result =
        switch (death.answer()) {
          case AgentAnswer.Complete complete ->
              new SessionResult(
                  commit == null ? all.redactedOrNull(complete.commit()) : commit,
                  text,
                  complete.files().stream()
                      .map(each ->
                          new Passage(
                              all.redacted(each.path()),
                              each.fromLine(),
                              each.toLine(),
                              all.redacted(each.excerpt())))
                      .toList(),
                  false,
                  all.agent().label(),
                  all.redactedOrNull(complete.model()),
                  prompt);
          case AgentAnswer.Broken broken ->
              new SessionResult(commit, text, List.of(), true, all.agent().label(), null, prompt);
        };
    return result.within(MOST_RESULT);
  }

  /**
   * Pauses the provider that rejected the session. This happens before the release, so that the
   * slot which the release frees does not start the next session into the same limit.
   */
  private void pauseProvider() {
    if (!(death.answer() instanceof AgentAnswer.Broken broken)
        || broken.failure().kind() != Failure.Kind.PROVIDER) {
      return;
    }
    String named = session.request().route().provider();
    if (named == null) {
      return;
    }
    String provider = broken.fault().stops(named);
    String why = all.redacted(End.blame(broken));
    if (broken.accountExhausted()) {
      all.ledger().providerLimited(provider, null, LedgerEntry.Pause.exhausted(why));
    } else {
      // The ledger's side bounds it.
      all.ledger()
          .providerLimited(
              provider,
              now -> Instant.ofEpochSecond(Math.clamp(broken.fault().until(now), 0, LATEST)),
              why);
    }
  }

  private LedgerEntry.Release release(End end) {
    Usage booked = booked();
    long waitedUntil = start.at() == 0 ? death.at() : start.at();
    long now = all.ledger().nowNanos();
    // The clock of the request's publication is the broker's, so this may be negative.
    long waited = all.clock().millis() - (now - waitedUntil) / 1_000_000 - session.publishedMs();
    var timings =
        new Timings(
            Math.max(0, waited),
            start.at() == 0 ? 0 : (death.at() - start.at()) / 1_000_000,
            (now - death.at()) / 1_000_000);
    // It names the agent, so that this does not depend on events that come later.
    LedgerEntry.AgentRun run =
        start.agent() == null
            ? null
            : new LedgerEntry.AgentRun(
                all.agent().label(),
                session.profile(),
                named.agentSession(),
                all.home(session),
                all.reused(session),
                named.model(),
                turn());
    return new LedgerEntry.Release(
        session.id(),
        end.outcome(),
        end.reason(),
        end.failure(),
        exitCode(),
        signal(),
        timings,
        booked.tokens(),
        booked.costMicros(),
        receipt(),
        run);
  }

  /** The receipt: how large the tree grew, and which steps its kill took. */
  private Receipt receipt() {
    LiveSession agent = start.agent();
    if (death.killed() == null || agent == null) {
      return start.at() == 0 ? Receipt.notStarted() : Receipt.unknown();
    }
    Vitals size = agent.vitals();
    return new Receipt(
        all.level(),
        Math.max(size.processesPeak(), death.killed().processesPeak()),
        Math.max(size.memoryPeakBytes(), death.killed().memoryPeakBytes()),
        death.killed().steps(),
        death.killed().survivors());
  }

  private Usage used() {
    LiveSession agent = start.agent();
    return agent == null ? Usage.NONE : agent.vitals().usage();
  }

  /** What is booked for it; see {@link Agent#booked}. */
  private Usage booked() {
    long reserve = session.lease().reserve();
    LiveSession agent = start.agent();
    if (agent == null) {
      // A start that was given up may have run an agent until its deadline.
      return start.at() == 0 ? Usage.NONE : Usage.NONE.costing(reserve);
    }
    return all.agent().booked(used(), reserve, agent.reported(), bySelf());
  }
}
