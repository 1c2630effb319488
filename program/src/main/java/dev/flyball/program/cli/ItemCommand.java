package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints one item's timeline. */
@Command(
    name = "item",
    mixinStandardHelpOptions = true,
    description = "Prints where an item stands and everything that happened to it.")
final class ItemCommand implements Callable<Integer> {
  private static final int DETAIL = 120;
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  @Option(names = "--json", description = "One JSON object on one line")
  boolean json;

  ItemCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String typed = Objects.requireNonNull(key, "a required parameter");
    Configuration configuration = shared.load(terminal);
    ItemStory story;
    AnswerAge age;
    try (ConsoleView view = Answers.open(configuration)) {
      age = AnswerAge.of(view, configuration);
      story = view.item(Answers.key(view, typed)).orElseThrow(() -> Answers.unknown(typed));
    }
    if (story.item() == null || Answers.unfinished(story.item())) {
      age.tell(terminal);
    }
    if (json) {
      terminal.out().println(RecordJson.write(story));
      return Exit.DONE.code();
    }
    if (story.item() != null && terminal.outIsTty()) {
      String reason = story.item().reason() == null ? "" : ": " + story.item().reason();
      terminal.out().println(PlainText.line(story.item().key() + "  " + story.item().title()));
      terminal.out().println(PlainText.line(story.item().state() + reason));
      terminal.out().println();
    }
    var table = new Table("time", "event", "session", "detail");
    for (ItemStory.Event event : story.events()) {
      table.row(
          event.time().toString(),
          event.name(),
          event.session() == null ? "" : event.session(),
          PlainText.cut(event.gist(), DETAIL));
    }
    if (story.item() != null && !terminal.outIsTty()) {
      now(table, story.item());
    }
    table.print(terminal, false);
    return Exit.DONE.code();
  }

  /** Adds the item's current state as the last line: a program does not read the heading. */
  private static void now(Table table, ItemRow item) {
    String reason = item.reason() == null ? "" : ": " + item.reason();
    table.row(item.updatedAt(), "now", "", item.state() + reason);
  }
}
