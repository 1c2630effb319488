package dev.flyball.program.cli;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.ConsoleRoutes.Counted;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.Options.JsonOption;
import dev.flyball.program.cli.Options.ReadOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Nearest;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show items: items, item, why, analysis and dead-letters. */
final class ItemViews {
  private static final int TITLE = 60;
  private static final int DETAIL = 120;

  private ItemViews() {}

  /** Which items {@code items} lists. */
  static final class Filter {
    @Parameters(
        arity = "0..1",
        paramLabel = "TEXT",
        description = "Only items with this text in their key or title")
    @Nullable String text;

    @Option(
        names = "--state",
        paramLabel = "STATE",
        description =
            "Only items in this state: new, triaging, skipped, queued, running, analyzed, failed,"
                + " dead, cancelled or closed")
    @Nullable String state;

    @Option(names = "--tenant", paramLabel = "TENANT", description = "Only items of this tenant")
    @Nullable String tenant;

    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "Maximum number of rows (default: 1000)")
    int limit = 1_000;

    /** Rejects a value that no item can have: its empty result would read as "there is none". */
    ItemFilter checked() {
      if (state != null && !ItemFilter.STATES.contains(state)) {
        throw new ConfigurationError(
            "--state: no state '"
                + state
                + "'"
                + Nearest.meant(state, ItemFilter.STATES, "")
                + "; allowed are "
                + String.join(", ", ItemFilter.STATES));
      }
      Options.requireRows(limit);
      return new ItemFilter(state, tenant, text, limit);
    }
  }

  @Command(
      name = "items",
      mixinStandardHelpOptions = true,
      description = "List items and their state, unfinished items first.")
  static Exit items(@Mixin ReadOptions options, @Mixin TableOptions table, @Mixin Filter filter) {
    ItemFilter wanted = filter.checked();
    Terminal terminal = options.terminal();
    Counted found;
    ConsoleReader.Age age;
    try (ConsoleReader view = options.reader()) {
      found = view.items(wanted);
      age = view.age();
    }
    List<ItemRow> items = found.rows();
    long all = found.total();
    if (all > ItemFilter.COUNTED) {
      terminal.note("more than " + ItemFilter.COUNTED + " items match; --limit N prints N");
    } else if (all > items.size()) {
      terminal.note((all - items.size()) + " more items; print all with --limit " + all);
    }
    age.report(terminal);
    if (table.json) {
      return table.object(items);
    }
    return table.print(
        Table.of(items)
            .column("item", ItemRow::key)
            .column("state", ItemRow::state)
            .wide("priority", ItemRow::priority)
            .column("title", it -> PlainText.cut(it.title(), TITLE))
            .column("reason", ItemRow::reason));
  }

  @Command(
      name = "item",
      mixinStandardHelpOptions = true,
      description = "Show an item's state and its events, oldest first.")
  static Exit item(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Parameters(paramLabel = "KEY", description = ActionCommands.KEY) String name) {
    Terminal terminal = options.terminal();
    ItemStory story;
    try (ConsoleReader view = options.reader()) {
      story = view.item(view.key(name)).orElseThrow(() -> ConsoleReader.noItem(name));
      if (story.item() == null || unfinished(story.item())) {
        view.age().report(terminal);
      }
    }
    if (table.json) {
      return table.object(story);
    }
    ItemRow item = story.item();
    if (item != null && terminal.outIsTty()) {
      terminal.out().println(PlainText.line(item.key() + "  " + item.title()));
      terminal.out().println(PlainText.line(state(item)));
      terminal.out().println();
    }
    var rows = new Table("time", "event", "session", "detail");
    for (ItemStory.Event event : story.events()) {
      rows.row(event.time(), event.name(), event.session(), PlainText.cut(event.gist(), DETAIL));
    }
    if (item != null && !terminal.outIsTty()) {
      // The current state as the last line: a program does not read the heading.
      rows.row(item.updatedAt(), "now", "", state(item));
    }
    return table.print(rows);
  }

  /** Whether the item will still change without a change in its tracker. */
  private static boolean unfinished(ItemRow item) {
    return item.waitingSince() != null;
  }

  private static String state(ItemRow item) {
    return item.state() + (item.reason() == null ? "" : ": " + item.reason());
  }

  @Command(
      name = "why",
      mixinStandardHelpOptions = true,
      description = "Explain why an item is not running, that it runs, or how it ended.")
  static Exit why(
      @Mixin ReadOptions options,
      @Mixin JsonOption output,
      @Parameters(paramLabel = "KEY", description = ActionCommands.KEY) String name) {
    ItemStatus standing;
    try (ConsoleReader view = options.reader()) {
      ConsoleReader.Age age = view.age();
      String key = view.key(name);
      standing = view.why(key).orElseThrow(() -> ConsoleReader.noItem(name));
      if (view.item(key).map(ItemStory::item).filter(ItemViews::unfinished).isPresent()) {
        age.report(options.terminal());
        standing = age.old() ? standing.withoutService(age.line()) : standing;
      }
    }
    if (output.json) {
      return output.object(standing);
    }
    Consumer<String> line = text -> output.terminal().out().println(PlainText.line(text));
    line.accept(standing.item() + "  " + standing.title());
    for (ItemStatus.Reason reason : standing.reasons()) {
      boolean named = reason.detail().startsWith(standing.state());
      line.accept(
          "It is "
              + (named ? "" : standing.state() + ": ")
              + reason.detail()
              + (reason.until() == null ? "" : ", until " + reason.until())
              + " ("
              + reason.reason().label()
              + ").");
      fix(standing, reason).ifPresent(fix -> line.accept("Fix: " + fix + "."));
    }
    if (standing.profile() != null) {
      String rule = standing.routedBy() == null ? "" : ", by " + standing.routedBy();
      line.accept("Agent: " + standing.profile() + rule + ".");
    }
    return Exit.DONE;
  }

  /** Settled without an analysis; retry takes them all the same. */
  private static final Set<String> RETRIED = Set.of("skipped", "cancelled", "dead");

  /** What an operator can do about it; empty where only waiting helps. */
  private static Optional<String> fix(ItemStatus status, ItemStatus.Reason reason) {
    String scope =
        reason.scope() == null || reason.scope().equals("global")
            ? ""
            : " --scope " + reason.scope();
    String fix =
        switch (reason.reason()) {
          case AT_CAP -> "./flyball cap N" + scope + " raises it; ./flyball ps lists what runs";
          case PAUSED, PROVIDER -> "./flyball resume" + scope;
          case BUDGET -> "./flyball budget" + scope + " raises it; it resets at midnight UTC";
          case NO_SERVICE -> "start ./flyball up or run with the same data folder";
          case NO_RUNNER -> "start ./flyball up or a runner";
          case NO_PROFILE ->
              "add the profile to agents of a runner and restart it; ./flyball cancel and retry"
                  + " route the item again";
          case NO_SOURCE ->
              "add the source to the configuration of a runner and restart it; ./flyball skip or"
                  + " forget the item if its source is not wanted any more";
          case RUNNERS_REFUSE, RUNNER_DECLINES -> "run ./flyball doctor on the runner's machine";
          case REQUESTS_LOST -> "start again with a new topics.prefix";
          case UNKNOWN_RULES -> "upgrade this program";
          case SETTLED ->
              RETRIED.contains(status.state()) ? "./flyball retry " + status.item() : "";
          case RUNS, TRIAGE, BACKING_OFF, ENDING, QUEUED, NEXT -> "";
        };
    return Optional.of(fix).filter(it -> !it.isEmpty());
  }

  @Command(
      name = "analysis",
      mixinStandardHelpOptions = true,
      description = "Print the newest analysis of an item.")
  static Exit analysis(
      @Mixin ReadOptions options,
      @Mixin JsonOption output,
      @Parameters(paramLabel = "KEY", description = ActionCommands.KEY) String name) {
    Analysis analysis;
    String key;
    try (ConsoleReader view = options.reader()) {
      key = view.key(name);
      Optional<ItemRow> row = view.item(key).flatMap(it -> Optional.ofNullable(it.item()));
      if (row.filter(ItemViews::unfinished).isPresent()) {
        view.age().report(options.terminal());
      }
      analysis =
          view.analysis(key)
              .orElseThrow(() -> row.map(ItemViews::noAnalysis).orElse(ConsoleReader.noItem(name)));
    }
    if (output.json) {
      return output.object(analysis);
    }
    PrintStream out = options.terminal().out();
    out.println(PlainText.line(key + ", revision " + analysis.revision()));
    String model = analysis.model() == null ? "model unknown" : analysis.model();
    String commit = analysis.commit() == null ? "" : ", commit " + analysis.commit();
    out.println(
        PlainText.line("by " + analysis.agent() + ", " + model + commit + ", at " + analysis.at()));
    if (analysis.prompt() != null) {
      out.println(PlainText.line("prompt " + analysis.prompt()));
    }
    if (analysis.routedBy() != null) {
      out.println(PlainText.line("profile " + analysis.profile() + ", by " + analysis.routedBy()));
    }
    out.println();
    out.println(PlainText.lines(analysis.text()));
    for (Analysis.Passage passage : analysis.files()) {
      out.println();
      out.println(
          PlainText.line(passage.path() + ":" + passage.fromLine() + "-" + passage.toLine()));
      out.println(PlainText.lines(passage.excerpt()));
    }
    return Exit.DONE;
  }

  private static StartFailure noAnalysis(ItemRow item) {
    String why = item.reason() == null ? "" : " (" + item.reason() + ")";
    return new StartFailure("no analysis of " + item.key() + ": it is " + item.state() + why);
  }

  @Command(
      name = "dead-letters",
      mixinStandardHelpOptions = true,
      description =
          "List the dead letters, oldest first: records that could not be read, and items and"
              + " deliveries that were given up, with their topic and offset. `now` is the item's"
              + " current state. A dead letter stays in the list when it is requeued or"
              + " redelivered. The newest thousand are kept.")
  static Exit deadLetters(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Option(
              names = "--topic",
              paramLabel = "TOPIC",
              description =
                  "Only records of this topic: work-items, or analyses for deliveries that were"
                      + " given up")
          @Nullable String topic) {
    List<DeadLetterRow> letters;
    try (ConsoleReader view = options.reader()) {
      view.age().report(options.terminal());
      letters = view.deadLetters();
      long older = view.summary().deadLetters() - letters.size();
      if (older > 0) {
        options
            .terminal()
            .note(
                CountedNoun.of(older, "older one is", "older ones are")
                    + " not kept by the console; the topic dead-letters has those of a month");
      }
    }
    return table.print(
        Table.of(
                letters.reversed().stream()
                    .filter(it ->
                        topic == null
                            || it.topic().equals(topic)
                            || it.topic().endsWith("." + topic))
                    .toList())
            .column("key", DeadLetterRow::key)
            .column("reason", DeadLetterRow::reason)
            .wide("topic", DeadLetterRow::topic)
            .wide("partition", DeadLetterRow::partition)
            .wide("offset", DeadLetterRow::offset)
            .column("time", DeadLetterRow::at)
            .column("now", DeadLetterRow::now));
  }
}
