package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.ScopeChange;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Does what the live screen asks for: a record in the commands topic or the ledger, with the user
 * and the reason.
 *
 * @param clients opened at the first action: a screen that only shows needs no Kafka
 */
record TopOperator(Supplier<KafkaClients> clients, String who) {
  private static final String WHY = "top";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Returns the result, one line. */
  String act(TopAction action) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    String id = UUID.randomUUID().toString();
    return switch (action) {
      case TopAction.Cancel it ->
          send(it.item(), new Command.Cancel(id, who, now, WHY, it.session()));
      case TopAction.Skip it -> send(it.item(), new Command.Skip(id, who, now, WHY));
      case TopAction.Retry it -> send(it.item(), new Command.Retry(id, who, now, WHY));
      case TopAction.Cap it -> cap(it.by());
      case TopAction.Pause _ -> change(new ScopeChange.Pause(Scope.GLOBAL, null), "paused");
      case TopAction.Resume _ -> change(new ScopeChange.Resume(Scope.GLOBAL), "resumed");
    };
  }

  private String send(String item, Command command) {
    CommandResult result =
        new CommandSender(clients.get()).order(Map.of(command, item), PATIENCE).getFirst();
    if (result.refused()) {
      return item + ": " + result.field(Field.REASON);
    }
    if (!result.acknowledged()) {
      return ItemOptions.unacknowledged(result);
    }
    if (!result.done()) {
      return item + ": no effect was seen within 10 s; check with ./flyball item " + item;
    }
    String survivors = result.endField(Field.SURVIVORS);
    return item
        + " is "
        + result.field(Field.AFTER)
        + (survivors.isEmpty() ? "" : ", survivors " + survivors);
  }

  /** Counts from the ledger's cap: the one on the screen may be old. */
  private String cap(int by) {
    OperatorEntries.Answer answer =
        new OperatorEntries(clients.get())
            .change(
                Scope.GLOBAL,
                state ->
                    new LedgerEntry.Cap(
                        Scope.GLOBAL,
                        Math.clamp((long) state.cap() + by, 0, ScopeChange.MOST_SESSIONS),
                        state.lastOperator(Scope.GLOBAL),
                        who,
                        WHY));
    return switch (answer) {
      case OperatorEntries.Answer.Effective it -> "the cap is " + it.state().cap();
      case OperatorEntries.Answer.WithoutEffect it ->
          "nothing was changed: " + it.why() + ", the cap is " + it.state().cap();
    };
  }

  private String change(ScopeChange change, String done) {
    return switch (new OperatorEntries(clients.get()).change(change, who, WHY)) {
      case OperatorEntries.Answer.Effective _ -> "everything is " + done;
      case OperatorEntries.Answer.WithoutEffect it -> "nothing was changed: " + it.why();
    };
  }
}
