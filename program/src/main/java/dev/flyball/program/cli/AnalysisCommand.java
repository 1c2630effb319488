package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints an item's newest analysis. */
@Command(
    name = "analysis",
    mixinStandardHelpOptions = true,
    description = "Prints an item's newest analysis and what it read.")
final class AnalysisCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  @Option(names = "--json", description = "One JSON object on one line")
  boolean json;

  AnalysisCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String typed = Objects.requireNonNull(key, "a required parameter");
    Configuration configuration = shared.load(terminal);
    Analysis analysis;
    String item;
    try (ConsoleView view = Answers.open(configuration)) {
      item = Answers.key(view, typed);
      Optional<ItemRow> row = view.item(item).flatMap(it -> Optional.ofNullable(it.item()));
      if (row.filter(Answers::unfinished).isPresent()) {
        AnswerAge.of(view, configuration).tell(terminal);
      }
      analysis =
          view.analysis(item)
              .orElseThrow(() -> row.isPresent() ? none(row.get()) : Answers.unknown(typed));
    }
    if (json) {
      terminal.out().println(RecordJson.write(analysis));
      return Exit.DONE.code();
    }
    terminal.out().println(PlainText.line(item + ", revision " + analysis.revision()));
    terminal
        .out()
        .println(
            PlainText.line(
                "by "
                    + analysis.agent()
                    + ", "
                    + (analysis.model() == null ? "model unknown" : analysis.model())
                    + (analysis.commit() == null ? "" : ", commit " + analysis.commit())
                    + ", at "
                    + analysis.at()));
    terminal.out().println();
    terminal.out().println(PlainText.lines(analysis.text()));
    for (Analysis.Passage passage : analysis.files()) {
      terminal.out().println();
      terminal
          .out()
          .println(
              PlainText.line(passage.path() + ":" + passage.fromLine() + "-" + passage.toLine()));
      terminal.out().println(PlainText.lines(passage.excerpt()));
    }
    return Exit.DONE.code();
  }

  /** Why an item has no analysis, as the command's error; the item itself exists. */
  private static StartFailure none(ItemRow item) {
    String why = item.reason() == null ? "" : " (" + item.reason() + ")";
    return new StartFailure("no analysis of " + item.key() + ": it is " + item.state() + why);
  }
}
