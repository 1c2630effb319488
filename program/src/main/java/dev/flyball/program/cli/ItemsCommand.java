package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists items, filtered. */
@Command(
    name = "items",
    mixinStandardHelpOptions = true,
    description = "Prints the items and where they stand, those with work ahead first.")
final class ItemsCommand implements Callable<Integer> {
  private static final int TITLE = 60;
  private final Terminal terminal;

  @Spec @Nullable CommandSpec spec;
  @Mixin SharedOptions shared = new SharedOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "TEXT",
      description = "Only items with this in their key or title")
  @Nullable String text;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description =
          "new, triaging, skipped, queued, running, analyzed, failed, dead, cancelled or closed")
  @Nullable String state;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "Only items of this tenant")
  @Nullable String tenant;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Most rows; by default 1000")
  int limit;

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  ItemsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    refuseUnknown();
    Configuration configuration = shared.load(terminal);
    List<ItemRow> items;
    long all;
    AnswerAge age;
    try (ConsoleView view = Answers.open(configuration)) {
      age = AnswerAge.of(view, configuration);
      var filter = new ItemFilter(state, tenant, text, limit);
      items = view.items(filter);
      all = items.size() < limit ? items.size() : view.count(filter);
    }
    if (all > items.size()) {
      terminal.say(
          "flyball: " + (all - items.size()) + " more; --limit " + all + " prints all of them");
    }
    if (items.stream().anyMatch(Answers::unfinished)) {
      age.tell(terminal);
    }
    if (json) {
      terminal.out().println(RecordJson.write(items));
      return Exit.DONE.code();
    }
    var table = new Table("item", "state", "priority", "title", "reason");
    items.forEach(item ->
        table.row(
            item.key(),
            item.state(),
            item.priority(),
            PlainText.cut(item.title(), TITLE),
            item.reason() == null ? "" : item.reason()));
    table.print(terminal, false);
    return Exit.DONE.code();
  }

  /**
   * Rejects a filter value that no item can have; its empty result would read as "there is none".
   */
  private void refuseUnknown() {
    if (state != null && !ItemFilter.STATES.contains(state)) {
      throw usage(
          "--state: no state '" + state + "'; one of " + String.join(", ", ItemFilter.STATES));
    }
    if (limit < 1) {
      throw usage("--limit: " + limit + " rows are none; give 1 or more");
    }
  }

  private ParameterException usage(String line) {
    return new ParameterException(
        Objects.requireNonNull(spec, "injected by picocli").commandLine(), line);
  }
}
