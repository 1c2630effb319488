package dev.flyball.ops.console.operate;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.console.access.Receipt.Tone;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of a command or a change: page, JSON and command line say the same of it.
 *
 * @param what the key of an item or source, or a scope
 * @param why the reason of the change, or why nothing was changed or may not have been
 * @param answer the fields of {@code command.done} or {@code command.refused}; none before
 * @param end those of the terminal event of the session that ran; none before or if none ran
 */
public record Outcome(String what, Effect effect, String why, EventData answer, EventData end) {
  /** The state of an item that triage-stream does not know. */
  private static final String UNKNOWN = "unknown";

  private static final String REPEAT = "; check it before you repeat it";

  /** How far it came. */
  public enum Effect {
    DONE(200, Tone.OK, "done"),
    /** Kafka has it, and its effect was not seen yet. */
    SENT(202, Tone.OK, "sent"),
    UNCHANGED(409, Tone.BAD, "unchanged"),
    /** It never takes effect. */
    REFUSED(200, Tone.BAD, "refused"),
    /** Kafka did not acknowledge it: a repeat could double it. */
    UNCONFIRMED(202, Tone.WARN, "perhaps written"),
    UNWRITTEN(503, Tone.BAD, "not written"),
    /** Of several, some are written and others not. */
    PARTIAL(202, Tone.WARN, "partial");

    private final int status;
    private final Tone tone;
    private final String words;

    Effect(int status, Tone tone, String words) {
      this.status = status;
      this.tone = tone;
      this.words = words;
    }

    /** The HTTP status that says so. */
    public int status() {
      return status;
    }

    /** How a page shows it. */
    public Tone tone() {
      return tone;
    }

    /** The name in JSON. */
    @JsonValue
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Of what has no further fields. */
  static Outcome of(String what, Effect effect, String why) {
    return new Outcome(what, effect, why, EventData.EMPTY, EventData.EMPTY);
  }

  /**
   * The same after an event, which may be of this command on its item. It is complete once it is
   * answered and, if it ended a session, that session's terminal event was read too.
   */
  Outcome after(LifecycleEvent event, String command) {
    if (!event.subject().equals(what)) {
      return this;
    }
    EventData data = event.data();
    boolean done = event.type() == EventType.COMMAND_DONE;
    if ((done || event.type() == EventType.COMMAND_REFUSED)
        && answer.equals(EventData.EMPTY)
        && data.text(Field.COMMAND_ID).filter(command::equals).isPresent()) {
      Effect known = !done ? Effect.REFUSED : data.has(Field.SESSION) ? Effect.SENT : Effect.DONE;
      return new Outcome(what, known, data.text(Field.REASON).orElse(""), data, end);
    }
    boolean ended =
        event.type().terminal()
            && effect == Effect.SENT
            && data.has(Field.SESSION)
            && data.text(Field.SESSION).equals(answer.text(Field.SESSION));
    return ended ? new Outcome(what, Effect.DONE, why, answer, data) : this;
  }

  /** Whether it was carried out; a session that ran may not have ended yet. */
  public boolean done() {
    return effect == Effect.DONE || (effect == Effect.SENT && !answer.equals(EventData.EMPTY));
  }

  /** Whether its effect was seen, or it has none. */
  public boolean seen() {
    return effect == Effect.DONE || effect == Effect.REFUSED;
  }

  /** Whether Kafka is known to have it. */
  public boolean acknowledged() {
    return effect != Effect.UNCONFIRMED && effect != Effect.UNWRITTEN;
  }

  /** Whether it was refused because the item is unknown. */
  public boolean unknown() {
    return effect == Effect.REFUSED && field(Field.BEFORE).equals(UNKNOWN);
  }

  /** A field of the answer, empty if there is none. */
  public String field(Field field) {
    return answer.text(field).orElse("");
  }

  /** A field of the ended session's terminal event, empty if there is none. */
  public String endField(Field field) {
    return end.text(field).orElse("");
  }

  /** One line for a person, given the name of what was asked. */
  public String line(String action) {
    return switch (effect) {
      case DONE -> doneLine(action);
      case SENT ->
          done()
              ? what + " is " + field(Field.AFTER) + ", but its session has not ended yet"
              : what + ": the command was sent, but no effect was seen yet" + REPEAT;
      case UNCHANGED, PARTIAL -> "nothing was changed in " + what + ": " + why;
      case REFUSED -> what + ": " + why;
      case UNCONFIRMED -> what + ": the command was perhaps written (" + why + ")" + REPEAT;
      case UNWRITTEN -> what + ": the command was not written (" + why + ")";
    };
  }

  private String doneLine(String action) {
    String after = field(Field.AFTER);
    if (answer.has(Field.POLLED)) {
      String seen = field(Field.POLLED) + " seen, " + field(Field.CHANGED) + " changed";
      return what + ": " + after + ", " + seen;
    }
    return answer.has(Field.AFTER)
        ? what + ": " + action + " done, it is " + after
        : action + " of " + what + " done";
  }

  @JsonValue
  Map<String, Object> json() {
    var json = new LinkedHashMap<String, Object>();
    json.put("item", what);
    json.put("result", effect);
    Stream.of(Field.BEFORE, Field.AFTER, Field.SESSION)
        .forEach(each -> json.put(each.json(), field(each)));
    Stream.of(Field.OUTCOME, Field.SURVIVORS)
        .forEach(each -> json.put(each.json(), endField(each)));
    json.put("reason", why);
    json.values().removeIf(""::equals);
    return json;
  }

  /**
   * What became of an action.
   *
   * @param notice one line for a person
   * @param effects what became of each item or source, none for a change of a scope
   */
  public record Answer(Effect result, String notice, List<Outcome> effects) {
    public Answer {
      effects = List.copyOf(effects);
    }

    /** Of what names no item. */
    public static Answer of(Effect result, String notice) {
      return new Answer(result, notice, List.of());
    }

    /** Of commands on items or sources. */
    public static Answer of(String action, List<Outcome> effects) {
      if (effects.size() == 1) {
        return new Answer(worst(effects), effects.getFirst().line(action), effects);
      }
      String counted =
          Stream.of(Effect.values())
              .filter(each -> each == Effect.DONE || count(effects, each) > 0)
              .map(each -> count(effects, each) + " " + each.words)
              .collect(Collectors.joining(", ", action + ": ", ""));
      return new Answer(worst(effects), counted, effects);
    }

    /** What is least certain comes first, so that "done" means that all are. */
    private static Effect worst(List<Outcome> effects) {
      long unwritten = count(effects, Effect.UNWRITTEN);
      if (unwritten > 0) {
        return unwritten == effects.size() ? Effect.UNWRITTEN : Effect.PARTIAL;
      }
      return Stream.of(Effect.UNCONFIRMED, Effect.SENT, Effect.DONE)
          .filter(each -> count(effects, each) > 0)
          .findFirst()
          .orElse(effects.isEmpty() ? Effect.DONE : Effect.UNCHANGED);
    }

    private static long count(List<Outcome> effects, Effect of) {
      return effects.stream().filter(each -> each.effect == of).count();
    }
  }
}
