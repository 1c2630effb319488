package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.why.Standing;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints why an item is not running. */
@Command(
    name = "why",
    mixinStandardHelpOptions = true,
    description = "Prints why an item is not running, or that it runs, or how it ended.")
final class WhyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Parameters(
      paramLabel = "KEY",
      description = "tenant/source/id, or the id if only one item has it")
  @Nullable String key;

  @Option(names = "--json", description = "One JSON object on one line")
  boolean json;

  WhyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String typed = Objects.requireNonNull(key, "a required parameter");
    Configuration configuration = shared.load(terminal);
    Standing standing;
    try (ConsoleView view = Answers.open(configuration)) {
      AnswerAge age = AnswerAge.of(view, configuration);
      long reserve = new AppConfigurations(configuration).console().reserveMicros();
      String item = Answers.key(view, typed);
      standing = view.why(item, age.moment(), reserve).orElseThrow(() -> Answers.unknown(typed));
      if (view.item(item).map(ItemStory::item).filter(Answers::unfinished).isPresent()) {
        age.tell(terminal);
        standing = age.old() ? standing.withoutService(age.line()) : standing;
      }
    }
    if (json) {
      terminal.out().println(RecordJson.write(standing));
      return Exit.DONE.code();
    }
    var table = new Table("item", "state", "reason", "scope", "until", "detail", "mend");
    for (Standing.Reason reason : standing.reasons()) {
      table.row(
          standing.item(),
          standing.state(),
          reason.reason().label(),
          reason.scope() == null ? "" : reason.scope(),
          reason.until() == null ? "" : reason.until(),
          reason.detail(),
          mend(reason));
    }
    table.print(terminal, false);
    return Exit.DONE.code();
  }

  /** What an operator can do about it; empty where only waiting helps. */
  private static String mend(Standing.Reason reason) {
    return switch (reason.reason()) {
      case AT_CAP -> "./flyball ps shows what runs; ./flyball cap N" + scope(reason);
      case PAUSED, PROVIDER -> "./flyball resume" + scope(reason);
      case BUDGET -> "./flyball budget" + scope(reason) + " raises it; midnight UTC ends it";
      case NO_SERVICE -> "./flyball up or run, on the same data folder";
      case NO_RUNNER -> "start ./flyball up or a runner";
      case RUNNERS_REFUSE -> "./flyball doctor on the runner's machine";
      case REQUESTS_LOST -> "start triage-stream, and look at its health";
      case UNKNOWN_RULES -> "use the program's newest version";
      case RUNS, SETTLED, TRIAGE, BACKING_OFF, ENDING, QUEUED, NEXT -> "";
    };
  }

  private static String scope(Standing.Reason reason) {
    String scope = reason.scope();
    return scope == null || scope.equals("global") ? "" : " --scope " + scope;
  }
}
