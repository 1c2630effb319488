package dev.flyball.ops.console;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.Receipt;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of an action.
 *
 * @param result done; sent: its effect was not seen yet; unconfirmed: Kafka did not acknowledge it,
 *     and a repeat could double it; partial: some were written and others not; unchanged; unwritten
 * @param notice one line for a person
 * @param effects what became of each item or source, none for a change of a scope
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ActionAnswer(String result, String notice, List<Effect> effects) {
  private static final String DONE = "done";
  private static final String SENT = "sent";
  private static final String UNCHANGED = "unchanged";
  private static final String REFUSED = "refused";
  private static final String UNCONFIRMED = "unconfirmed";
  private static final String UNWRITTEN = "unwritten";
  private static final String PARTIAL = "partial";

  ActionAnswer {
    effects = List.copyOf(effects);
  }

  /**
   * What became of one item.
   *
   * @param result done, sent, refused, unconfirmed or unwritten
   * @param before its state before
   * @param after its state after
   * @param session the session that was ended, if one ran
   * @param outcome how it ended
   * @param survivors processes that survived it
   * @param reason the reason of the change, or why it was refused or not written
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record Effect(
      String item,
      String result,
      String before,
      String after,
      String session,
      String outcome,
      String survivors,
      String reason) {
    static Effect of(CommandResult result) {
      return new Effect(
          result.item(),
          outcome(result),
          result.field(Field.BEFORE),
          result.field(Field.AFTER),
          result.field(Field.SESSION),
          result.endField(Field.OUTCOME),
          result.endField(Field.SURVIVORS),
          result.answer() == null ? result.problem() : result.field(Field.REASON));
    }

    private static String outcome(CommandResult result) {
      if (result.answer() != null) {
        return result.refused() ? REFUSED : result.seen() ? DONE : SENT;
      }
      return switch (result.written()) {
        case YES -> SENT;
        case PERHAPS -> UNCONFIRMED;
        case NO -> UNWRITTEN;
      };
    }
  }

  static ActionAnswer done(String notice) {
    return new ActionAnswer(DONE, notice, List.of());
  }

  static ActionAnswer unchanged(String notice) {
    return new ActionAnswer(UNCHANGED, notice, List.of());
  }

  /** Of a change that was sent and not acknowledged. */
  static ActionAnswer unconfirmed(String notice) {
    return new ActionAnswer(UNCONFIRMED, "perhaps written: " + notice, List.of());
  }

  /** Of a change of a scope. */
  static ActionAnswer of(ScopeChange change, OperatorEntries.Answer answer) {
    return switch (answer) {
      case OperatorEntries.Answer.Effective _ ->
          done(change.label() + " of " + change.scope() + " done");
      case OperatorEntries.Answer.WithoutEffect it ->
          unchanged("nothing was changed in " + change.scope() + ": " + it.why());
    };
  }

  /** Of commands on items. */
  static ActionAnswer of(String action, List<CommandResult> results) {
    List<Effect> effects = results.stream().map(Effect::of).toList();
    String notice =
        effects.size() == 1
            ? effects.getFirst().item() + ": " + one(action, effects.getFirst(), results.getFirst())
            : action
                + ": "
                + count(effects, DONE)
                + " done"
                + counted(effects, SENT, " sent")
                + counted(effects, REFUSED, " refused")
                + counted(effects, UNCONFIRMED, " perhaps written")
                + counted(effects, UNWRITTEN, " not written");
    return new ActionAnswer(result(effects), notice, effects);
  }

  /** Of a command to poll a source. */
  static ActionAnswer ofPoll(CommandResult result) {
    ActionAnswer answer = of("poll", List.of(result));
    String seen =
        result.item()
            + ": "
            + result.field(Field.AFTER)
            + ", "
            + result.field(Field.POLLED)
            + " seen, "
            + result.field(Field.CHANGED)
            + " changed";
    return result.done() ? new ActionAnswer(answer.result, seen, answer.effects) : answer;
  }

  /** Of one item. */
  private static String one(String action, Effect effect, CommandResult result) {
    return switch (effect.result()) {
      case DONE -> action + " done, it is " + effect.after();
      case SENT -> action + " was sent, its effect is not seen yet";
      case UNCONFIRMED ->
          action
              + " is perhaps written ("
              + result.problem()
              + "); check the item before you repeat it";
      case UNWRITTEN -> action + " was not written (" + result.problem() + ")";
      default -> effect.reason();
    };
  }

  /** Of all: what is least certain comes first, so that "done" means that all are. */
  private static String result(List<Effect> effects) {
    long unwritten = count(effects, UNWRITTEN);
    if (unwritten > 0) {
      return unwritten == effects.size() ? UNWRITTEN : PARTIAL;
    }
    if (count(effects, UNCONFIRMED) > 0) {
      return UNCONFIRMED;
    }
    if (count(effects, SENT) > 0) {
      return SENT;
    }
    return count(effects, DONE) > 0 || effects.isEmpty() ? DONE : UNCHANGED;
  }

  private static String counted(List<Effect> effects, String result, String name) {
    long count = count(effects, result);
    return count == 0 ? "" : ", " + count + name;
  }

  private static long count(List<Effect> effects, String result) {
    return effects.stream().filter(each -> each.result().equals(result)).count();
  }

  /** 200, 202 while an effect is not seen, 409 if nothing was changed, 503 without Kafka. */
  int status() {
    return switch (result) {
      case SENT, UNCONFIRMED, PARTIAL -> 202;
      case UNCHANGED -> 409;
      case UNWRITTEN -> 503;
      default -> 200;
    };
  }

  Receipt.Tone tone() {
    return switch (result) {
      case DONE, SENT -> Receipt.Tone.OK;
      case UNCONFIRMED, PARTIAL -> Receipt.Tone.WARN;
      default -> Receipt.Tone.BAD;
    };
  }

  /** Sends a browser on to the page that it came from, and a program the JSON. */
  void write(HttpExchange exchange, boolean form, @Nullable String back) throws IOException {
    if (form) {
      new Receipt(tone(), notice).give(exchange);
      ConsoleAccess.redirect(exchange, ConsoleAccess.back(back));
      return;
    }
    AdminServer.answer(exchange, status(), "application/json", RecordJson.write(this) + "\n");
  }
}
