package dev.flyball.program.cli;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.view.DaySpend;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ScopeCap;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What commands print of a console on another machine where they otherwise read Kafka: the same
 * columns, empty where a console does not know the value.
 */
final class RemoteViews {
  private RemoteViews() {}

  /** Dead letters, oldest first; reports how many older ones the console has dropped. */
  static Table deadLetters(RemoteReader console, Terminal terminal, @Nullable String topic) {
    List<DeadLetterRow> letters = console.deadLetters();
    long older = console.summary().deadLetters() - letters.size();
    if (older > 0) {
      terminal.note(
          CountedNoun.of(older, "older one is", "older ones are")
              + " not kept by the console; the topic dead-letters has those of a month");
    }
    Table rows = DeadLetterCommands.table();
    letters.reversed().stream()
        .filter(it -> topic == null || it.topic().equals(topic) || it.topic().endsWith("." + topic))
        .forEach(it ->
            rows.row(
                blank(it.key()),
                it.reason(),
                it.topic(),
                it.partition(),
                it.offset(),
                it.at(),
                blank(it.now())));
    return rows;
  }

  /**
   * The caps in force.
   *
   * @param scope null for all
   */
  static Table caps(RemoteReader console, @Nullable String scope) {
    List<ScopeCap> caps =
        console.caps().stream().filter(it -> scope == null || it.scope().equals(scope)).toList();
    Table rows = LimitCommands.capTable();
    caps.forEach(it -> rows.row(it.scope(), it.cap(), blank(it.live())));
    return caps.isEmpty() ? rows.row(scope == null ? Scope.GLOBAL : scope, "", "") : rows;
  }

  /** The budget of a scope, and what is spent of it today. */
  static Table budget(RemoteReader console, String scope) {
    Table rows = LimitCommands.budgetTable();
    return console.spend().budgets().stream()
        .filter(it -> it.scope().equals(scope))
        .findFirst()
        .map(it -> row(rows, it))
        .orElseGet(() -> rows.row(scope, "", "", "", ""));
  }

  private static Table row(Table rows, DaySpend.Budget budget) {
    Long micros = budget.limitMicros();
    return rows.row(
        budget.scope(),
        micros == null ? "" : LimitCommands.dollars(micros),
        LimitCommands.dollars(budget.spentMicros()),
        blank(budget.limitTokens()),
        budget.spentTokens());
  }

  static Object blank(@Nullable Object value) {
    return value == null ? "" : value;
  }
}
