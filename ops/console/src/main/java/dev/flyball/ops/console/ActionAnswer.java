package dev.flyball.ops.console;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
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
import java.util.Locale;
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
public record ActionAnswer(Result result, String notice, List<Effect> effects) {
  /** What became of it, the HTTP status that says so, and how a page shows it. */
  public enum Result {
    DONE(200, Receipt.Tone.OK),
    SENT(202, Receipt.Tone.OK),
    UNCHANGED(409, Receipt.Tone.BAD),
    REFUSED(200, Receipt.Tone.BAD),
    UNCONFIRMED(202, Receipt.Tone.WARN),
    UNWRITTEN(503, Receipt.Tone.BAD),
    PARTIAL(202, Receipt.Tone.WARN);

    private final int status;
    private final Receipt.Tone tone;

    Result(int status, Receipt.Tone tone) {
      this.status = status;
      this.tone = tone;
    }

    /** The name in JSON. */
    @JsonValue
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public ActionAnswer {
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
  public record Effect(
      String item,
      Result result,
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

    private static Result outcome(CommandResult result) {
      if (result.answer() != null) {
        return result.refused() ? Result.REFUSED : result.seen() ? Result.DONE : Result.SENT;
      }
      return switch (result.written()) {
        case YES -> Result.SENT;
        case PERHAPS -> Result.UNCONFIRMED;
        case NO -> Result.UNWRITTEN;
      };
    }
  }

  static ActionAnswer done(String notice) {
    return new ActionAnswer(Result.DONE, notice, List.of());
  }

  static ActionAnswer unchanged(String notice) {
    return new ActionAnswer(Result.UNCHANGED, notice, List.of());
  }

  /** Of a change that was sent and not acknowledged. */
  static ActionAnswer unconfirmed(String notice) {
    return new ActionAnswer(Result.UNCONFIRMED, "perhaps written: " + notice, List.of());
  }

  /** Of a change of a scope. */
  static ActionAnswer of(ScopeChange change, OperatorEntries.Answer answer) {
    return answer.unchanged() == null
        ? done(change.label() + " of " + change.scope() + " done")
        : unchanged("nothing was changed in " + change.scope() + ": " + answer.unchanged());
  }

  /** Of commands on items. */
  public static ActionAnswer of(String action, List<CommandResult> results) {
    List<Effect> effects = results.stream().map(Effect::of).toList();
    String notice =
        effects.size() == 1
            ? one(action, results.getFirst())
            : action
                + ": "
                + count(effects, Result.DONE)
                + " done"
                + counted(effects, Result.SENT, " sent")
                + counted(effects, Result.REFUSED, " refused")
                + counted(effects, Result.UNCONFIRMED, " perhaps written")
                + counted(effects, Result.UNWRITTEN, " not written");
    return new ActionAnswer(result(effects), notice, effects);
  }

  private static String one(String action, CommandResult result) {
    return result.seen() && !result.refused()
        ? result.item() + ": " + action + " done, it is " + result.field(Field.AFTER)
        : result.trouble();
  }

  /** Of a command to poll a source. */
  public static ActionAnswer ofPoll(CommandResult result) {
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

  /** Of all: what is least certain comes first, so that "done" means that all are. */
  private static Result result(List<Effect> effects) {
    long unwritten = count(effects, Result.UNWRITTEN);
    if (unwritten > 0) {
      return unwritten == effects.size() ? Result.UNWRITTEN : Result.PARTIAL;
    }
    if (count(effects, Result.UNCONFIRMED) > 0) {
      return Result.UNCONFIRMED;
    }
    if (count(effects, Result.SENT) > 0) {
      return Result.SENT;
    }
    return count(effects, Result.DONE) > 0 || effects.isEmpty() ? Result.DONE : Result.UNCHANGED;
  }

  private static String counted(List<Effect> effects, Result result, String name) {
    long count = count(effects, result);
    return count == 0 ? "" : ", " + count + name;
  }

  private static long count(List<Effect> effects, Result result) {
    return effects.stream().filter(each -> each.result() == result).count();
  }

  /** 200, 202 while an effect is not seen, 409 if nothing was changed, 503 without Kafka. */
  int status() {
    return result.status;
  }

  /** Sends a browser on to the page that it came from, and a program the JSON. */
  void write(HttpExchange exchange, boolean form, @Nullable String back) throws IOException {
    if (form) {
      new Receipt(result.tone, notice).give(exchange);
      ConsoleAccess.redirect(exchange, ConsoleAccess.back(back));
      return;
    }
    AdminServer.answer(exchange, status(), "application/json", RecordJson.write(this) + "\n");
  }
}
