package dev.flyball.ops.console;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.access.BackPath;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.telemetry.AdminServer;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of an action.
 *
 * @param result done, sent (its effect was not seen yet) or unchanged
 * @param notice one line for a person
 * @param effects what became of each item, none for a change of a scope
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ActionAnswer(String result, String notice, List<Effect> effects) {
  private static final String DONE = "done";
  private static final String SENT = "sent";
  private static final String UNCHANGED = "unchanged";

  ActionAnswer {
    effects = List.copyOf(effects);
  }

  /**
   * What became of one item.
   *
   * @param result done, sent or refused
   * @param before its state before
   * @param after its state after
   * @param session the session that was ended, if one ran
   * @param outcome how it ended
   * @param survivors processes that survived it
   * @param reason the reason of the change, or why it was refused
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
          result.item().toString(),
          result.refused() ? "refused" : result.seen() ? DONE : SENT,
          result.field(Field.BEFORE),
          result.field(Field.AFTER),
          result.field(Field.SESSION),
          result.endField(Field.OUTCOME),
          result.endField(Field.SURVIVORS),
          result.field(Field.REASON));
    }
  }

  static ActionAnswer done(String notice) {
    return new ActionAnswer(DONE, notice, List.of());
  }

  static ActionAnswer unchanged(String notice) {
    return new ActionAnswer(UNCHANGED, notice, List.of());
  }

  /** Of commands on items. */
  static ActionAnswer of(String action, List<CommandResult> results) {
    List<Effect> effects = results.stream().map(Effect::of).toList();
    long done = count(effects, DONE);
    long sent = count(effects, SENT);
    long refused = effects.size() - done - sent;
    String result = sent > 0 ? SENT : done > 0 || effects.isEmpty() ? DONE : UNCHANGED;
    return new ActionAnswer(result, notice(action, effects, done, sent, refused), effects);
  }

  private static String notice(
      String action, List<Effect> effects, long done, long sent, long refused) {
    if (effects.size() == 1) {
      Effect one = effects.getFirst();
      return one.item()
          + ": "
          + (refused > 0
              ? one.reason()
              : sent > 0
                  ? action + " was sent, its effect is not seen yet"
                  : action + " done, it is " + one.after());
    }
    return action
        + ": "
        + done
        + " done"
        + (sent > 0 ? ", " + sent + " sent" : "")
        + (refused > 0 ? ", " + refused + " refused" : "");
  }

  private static long count(List<Effect> effects, String result) {
    return effects.stream().filter(each -> each.result().equals(result)).count();
  }

  /** 200, 202 while an effect is not seen, 409 if nothing was changed. */
  int status() {
    return switch (result) {
      case SENT -> 202;
      case UNCHANGED -> 409;
      default -> 200;
    };
  }

  /** Sends a browser on to the page that it came from, and a program the JSON. */
  void write(HttpExchange exchange, boolean form, @Nullable String back) throws IOException {
    if (form) {
      ConsoleAccess.redirect(exchange, BackPath.withNotice(back, notice));
      return;
    }
    AdminServer.answer(exchange, status(), "application/json", RecordJson.write(this) + "\n");
  }
}
