package dev.flyball.triage.item;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.Token;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of an item that is kept when its state is forgotten: its sessions whose terminal is not
 * written yet, how far terminals were written, and which commands were carried out. A runner's
 * events may come before the projection of their claim, so a session is recorded at the first
 * record about it.
 *
 * @param ended token of the newest session whose terminal was written; older sessions have ended
 *     too, because an item's claims and ends alternate in the ledger
 * @param open in the order of their tokens
 * @param commands ids of the newest commands that took effect, oldest first
 * @param verdicts ids of the newest answered questions that the state no longer names, oldest
 *     first: their cost is booked
 * @param refused ids of agent sessions that are never resumed again, oldest first
 */
public record Memory(
    @Nullable Token ended,
    List<Open> open,
    List<String> commands,
    List<String> verdicts,
    List<String> refused) {
  /** The value of an item without any session or command. */
  public static final Memory NONE = new Memory(null, List.of(), List.of(), List.of(), List.of());

  /** Most open sessions kept. The ledger allows one; more come from records of foreign writers. */
  private static final int MOST = 4;

  /** Most ids of commands kept; a repeated command comes soon or never. */
  private static final int MOST_COMMANDS = 16;

  /** Most ids of verdicts kept; a repeated one comes with the batch that was in flight. */
  private static final int MOST_VERDICTS = 8;

  /** Most ids of refused agent sessions kept: only an agent that repeats old ids needs more. */
  private static final int MOST_REFUSED = 16;

  private static final List<Field> FACTS =
      List.of(
          Field.REVISION,
          Field.LEVEL,
          Field.PID,
          Field.AGENT,
          Field.AGENT_SESSION,
          Field.MODEL,
          Field.PROFILE,
          Field.HOME,
          Field.REUSED,
          Field.TURN);

  public Memory {
    open = List.copyOf(open);
    commands = List.copyOf(commands);
    verdicts = List.copyOf(verdicts);
    refused = List.copyOf(refused);
  }

  /**
   * One session.
   *
   * @param facts revision, level, pid, agent, agentSession, model, profile, home, reused and turn,
   *     once known
   * @param result the data of its result event
   */
  public record Open(
      String session,
      Token token,
      @Nullable Instant claimedAt,
      @Nullable Instant spawnedAt,
      EventData facts,
      @Nullable EventData result) {}

  /** Whether this token's terminal was written. */
  public boolean isEnded(Token token) {
    return ended != null
        && ended.topicId().equals(token.topicId())
        && token.offset() <= ended.offset();
  }

  /** Whether this command took effect before. */
  boolean obeyed(String command) {
    return commands.contains(command);
  }

  Memory obey(String command) {
    return new Memory(ended, open, newest(commands, command, MOST_COMMANDS), verdicts, refused);
  }

  /** Whether this question's cost is booked. */
  boolean booked(String triage) {
    return verdicts.contains(triage);
  }

  Memory book(String triage) {
    return new Memory(ended, open, commands, newest(verdicts, triage, MOST_VERDICTS), refused);
  }

  /** Whether this agent session is never resumed again. */
  boolean refused(String agentSession) {
    return refused.contains(agentSession);
  }

  Memory refuse(String agentSession) {
    return new Memory(ended, open, commands, verdicts, newest(refused, agentSession, MOST_REFUSED));
  }

  private static List<String> newest(List<String> known, String added, int most) {
    var all = new ArrayList<>(known);
    all.add(added);
    return newest(all, most);
  }

  private static <T> List<T> newest(List<T> all, int most) {
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  /** Returns what is known of a session. */
  public Optional<Open> find(String session) {
    return open.stream().filter(o -> o.session().equals(session)).findFirst();
  }

  /** Remembers what was reported of a session, for its terminal. */
  Memory reported(Input.SessionReported in) {
    Open o = known(in.session());
    EventData facts = o.facts.withAll(in.data().only(FACTS));
    return with(
        switch (in.type()) {
          case SESSION_CLAIMED ->
              new Open(o.session, o.token, in.at(), o.spawnedAt, o.facts, o.result);
          case SESSION_RESULT ->
              new Open(o.session, o.token, o.claimedAt, o.spawnedAt, o.facts, in.data());
          case SESSION_SPAWNED ->
              new Open(o.session, o.token, o.claimedAt, in.at(), facts, o.result);
          default -> new Open(o.session, o.token, o.claimedAt, o.spawnedAt, facts, o.result);
        });
  }

  /** Forgets this session and all older ones, after its terminal. */
  Memory end(Token token) {
    List<Open> newer =
        open.stream()
            .filter(o -> o.token().topicId().equals(token.topicId()))
            .filter(o -> o.token().offset() > token.offset())
            .toList();
    return new Memory(token, newer, commands, verdicts, refused);
  }

  private Open known(Input.SessionRef ref) {
    return find(ref.session())
        .orElseGet(() -> new Open(ref.session(), ref.token(), null, null, EventData.EMPTY, null));
  }

  private Memory with(Open changed) {
    var all = new ArrayList<>(open);
    all.removeIf(o -> o.session().equals(changed.session()));
    all.add(changed);
    all.sort(Comparator.comparingLong(o -> o.token().offset()));
    return new Memory(ended, newest(all, MOST), commands, verdicts, refused);
  }
}
