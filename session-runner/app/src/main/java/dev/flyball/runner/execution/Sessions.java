package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one profile, each on a separate platform thread, and all that they share. Any
 * thread.
 *
 * @param environment the environment variables of the agent
 * @param workplaces which repository a session works in
 * @param trees records every tree's start and end
 * @param sampleEvery how often a tree is counted, and the greatest age of the reading of /proc that
 *     all sessions share
 * @param sink takes what they publish, without secrets
 */
public record Sessions(
    Agent agent,
    Containment containment,
    Map<String, String> environment,
    Workplaces workplaces,
    LiveTrees trees,
    Duration sampleEvery,
    SessionLimits limits,
    EventSink sink,
    Redactor redactor,
    InstantSource clock,
    Journal journal,
    Ledger ledger,
    Blame blame) {

  public Sessions {
    environment = Map.copyOf(environment);
  }

  /** Starts a session. */
  public void start(Session session) {
    String name = "session-" + session.id().substring(0, 8);
    Thread.ofPlatform().daemon().name(name).start(new SessionRun(session, this));
  }

  /** The agent that was started for a session. */
  LiveSession live(ContainedProcess process, Session session) {
    AgentSession earlier = resumed(session);
    return new LiveSession(
        process,
        agent,
        earlier == null ? TokenCount.NONE : earlier.used(),
        limits,
        sampleEvery,
        new OutputChunks(
            session.token().toString(), redactor, chunk -> sink.offer(session.id(), chunk), clock));
  }

  void say(Session session, EventType type, EventData data) {
    var _ = sink.publish(event(session, type, data));
  }

  LifecycleEvent event(Session session, EventType type, EventData data) {
    return session.event(type, data, clock.instant());
  }

  String redacted(String text) {
    return redactor.redact(text);
  }

  @Nullable String redactedOrNull(@Nullable String text) {
    return text == null ? null : redacted(text);
  }

  String level() {
    return containment.level().label();
  }

  /** The agent's session that this one goes on with, which is stored here; null for a fresh one. */
  @Nullable AgentSession resumed(Session session) {
    AgentSession asked = session.request().resume();
    return asked != null && asked.home().equals(session.lease().runner()) && agent.resumes(asked)
        ? asked
        : null;
  }

  /** The runner that keeps the agent's session; null if the agent's sessions cannot be resumed. */
  @Nullable String home(Session session) {
    return agent.resumes() ? session.lease().runner() : null;
  }

  /** Whether it goes on with an earlier session; null if neither agent nor request knows of one. */
  @Nullable Boolean reused(Session session) {
    boolean known = home(session) != null || session.request().resume() != null;
    return known ? resumed(session) != null : null;
  }

  /** Whether the agent is identified by its start: its output may never report a token. */
  boolean identifiedAtSpawn() {
    return agent.is(Agent.Trait.IDENTIFIED_AT_SPAWN);
  }

  /** The journal rows that survive this process, so that the next one finds what it left behind. */
  public interface Journal {

    /** Writes the row before the agent starts; the session must not start if this fails. */
    void opened(Session session) throws IOException;

    /** Records the process as which the agent was started. */
    void started(String session, Identity identity) throws IOException;

    /** Records that the tree is dead and the lease released. */
    void closed(String session) throws IOException;
  }

  /** The ledger's side of this runner. No method waits for a broker. */
  public interface Ledger {

    /**
     * Reports that the session's tree is verified dead, or never existed. Renewals stop, and the
     * release is repeated until the fold shows the end. The session is then closed.
     */
    void dead(LedgerEntry.Release release);

    /**
     * Pauses the session's provider: no runner starts sessions of it until then.
     *
     * @param until when it answers again, by the broker's time now; null if an operator has to
     *     resume it
     */
    void providerLimited(String provider, @Nullable UnaryOperator<Instant> until, String why);

    /** Whether a renewal was confirmed within half a lease; otherwise progress is not reported. */
    boolean confirmedLately(Session session);

    /** How long to wait for a broker; after that the session may have lost its lease. */
    Duration patience();

    /** Nanoseconds of the runner's elapsed clock, in which fences are given. */
    long nowNanos();
  }

  /** Decides what a session's end is charged to: the item, or this runner. Any thread. */
  public interface Blame {
    /**
     * Takes an end before it is reported.
     *
     * @return the end as it is charged
     */
    End charged(Session session, End end, Course course);

    /**
     * Records how far a session came that goes on.
     *
     * @param spoke whether it used a token
     */
    default void works(Session session, boolean spoke) {}
  }
}
