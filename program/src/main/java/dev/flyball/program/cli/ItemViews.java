package dev.flyball.program.cli;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.session.Analysis;
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
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
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

  @Command(name = "items", mixinStandardHelpOptions = true)
  static Exit items(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Parameters(arity = "0..1", paramLabel = "TEXT") @Nullable String text,
      @Option(names = "--state", paramLabel = "STATE") @Nullable String state,
      @Option(names = "--tenant", paramLabel = "TENANT") @Nullable String tenant,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    // The empty result of a value that no item can have would read as "there is none".
    if (state != null && !ItemFilter.STATES.contains(state)) {
      String meant = ConfigurationError.meant(state, ItemFilter.STATES, "");
      String allowed = String.join(", ", ItemFilter.STATES);
      throw new ConfigurationError(
          "--state: no state '" + state + "'" + meant + "; allowed are " + allowed);
    }
    Map<String, String> query =
        ConsoleReader.query(
            "limit", Options.rows(limit), "state", state, "tenant", tenant, "text", text);
    Terminal terminal = options.terminal;
    List<ItemRow> items;
    try (ConsoleReader reader = options.reader()) {
      items = reader.list("items", query, ItemRow[].class);
      long all = reader.total;
      if (all > ItemFilter.COUNTED) {
        terminal.note("more than " + ItemFilter.COUNTED + " items match; --limit N prints N");
      } else if (all > items.size()) {
        terminal.note((all - items.size()) + " more items; print all with --limit " + all);
      }
      reader.age().report(terminal);
    }
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

  @Command(name = "item", mixinStandardHelpOptions = true)
  static Exit item(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Parameters(paramLabel = "KEY") String name) {
    Terminal terminal = options.terminal;
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
      terminal.print(item.key() + "  " + item.title());
      terminal.print(state(item));
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

  @Command(name = "why", mixinStandardHelpOptions = true)
  static Exit why(
      @Mixin ReadOptions options,
      @Mixin JsonOption output,
      @Parameters(paramLabel = "KEY") String name) {
    ItemStatus status;
    try (ConsoleReader reader = options.reader()) {
      ConsoleReader.Age age = reader.age();
      String key = reader.key(name);
      status =
          reader
              .find("why", Map.of("key", key), ItemStatus.class)
              .orElseThrow(() -> ConsoleReader.noItem(name));
      if (reader.item(key).map(ItemStory::item).filter(ItemViews::unfinished).isPresent()) {
        age.report(options.terminal);
        status = age.old() ? status.withoutService(age.line()) : status;
      }
    }
    if (output.json) {
      return output.object(status);
    }
    Terminal terminal = options.terminal;
    terminal.print(status.item() + "  " + status.title());
    for (ItemStatus.Reason reason : status.reasons()) {
      boolean named = reason.detail().startsWith(status.state());
      String state = named ? "" : status.state() + ": ";
      String until = reason.until() == null ? "" : ", until " + reason.until();
      String word = " (" + reason.reason().label() + ").";
      terminal.print("It is " + state + reason.detail() + until + word);
      String fix = fix(status, reason);
      if (!fix.isEmpty()) {
        terminal.print("Fix: " + fix);
      }
    }
    if (status.profile() != null) {
      String rule = status.routedBy() == null ? "" : ", by " + status.routedBy();
      terminal.print("Agent: " + status.profile() + rule + ".");
    }
    return Exit.DONE;
  }

  /** Settled without an analysis; retry takes them all the same. */
  private static final Set<String> RETRIED = Set.of("skipped", "cancelled", "dead");

  /** What an operator can do about it; empty where only waiting helps. */
  private static String fix(ItemStatus status, ItemStatus.Reason reason) {
    boolean all = reason.scope() == null || reason.scope().equals(Scope.GLOBAL);
    String scope = all ? "" : " --scope " + reason.scope();
    return switch (reason.reason()) {
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
      case SETTLED -> RETRIED.contains(status.state()) ? "./flyball retry " + status.item() : "";
      case RUNS, TRIAGE, BACKING_OFF, ENDING, QUEUED, NEXT -> "";
    };
  }

  @Command(name = "analysis", mixinStandardHelpOptions = true)
  static Exit analysis(
      @Mixin ReadOptions options,
      @Mixin JsonOption output,
      @Parameters(paramLabel = "KEY") String name) {
    Analysis analysis;
    String heading;
    try (ConsoleReader view = options.reader()) {
      String key = view.key(name);
      Optional<ItemRow> row = view.item(key).flatMap(it -> Optional.ofNullable(it.item()));
      if (row.filter(ItemViews::unfinished).isPresent()) {
        view.age().report(options.terminal);
      }
      analysis =
          view.find("analysis", Map.of("key", key), Analysis.class)
              .orElseThrow(() -> row.map(ItemViews::noAnalysis).orElse(ConsoleReader.noItem(name)));
      heading = key + row.map(it -> "  " + it.title()).orElse("");
    }
    if (output.json) {
      return output.object(analysis);
    }
    Terminal terminal = options.terminal;
    terminal.print(heading);
    String model = analysis.model() == null ? "" : ", " + analysis.model();
    String commit = analysis.commit() == null ? "" : ", commit " + analysis.commit();
    terminal.print("by " + analysis.agent() + model + ", at " + analysis.at());
    terminal.print("revision " + analysis.revision() + commit);
    if (analysis.prompt() != null) {
      terminal.print("prompt " + analysis.prompt());
    }
    if (analysis.routedBy() != null) {
      terminal.print("profile " + analysis.profile() + ", by " + analysis.routedBy());
    }
    terminal.out().println();
    terminal.out().println(PlainText.lines(analysis.text()));
    for (Analysis.Passage passage : analysis.files()) {
      terminal.out().println();
      terminal.print(passage.place());
      terminal.out().println(PlainText.lines(passage.excerpt()));
    }
    return Exit.DONE;
  }

  private static StartFailure noAnalysis(ItemRow item) {
    String why = item.reason() == null ? "" : " (" + item.reason() + ")";
    return new StartFailure("no analysis of " + item.key() + ": it is " + item.state() + why);
  }

  @Command(name = "dead-letters", mixinStandardHelpOptions = true)
  static Exit deadLetters(
      @Mixin ReadOptions options,
      @Mixin TableOptions table,
      @Option(names = "--topic", paramLabel = "TOPIC") @Nullable String topic) {
    List<DeadLetterRow> letters;
    try (ConsoleReader reader = options.reader()) {
      reader.age().report(options.terminal);
      letters =
          reader.list(
              "dead-letters",
              Map.of("limit", Options.rows(ConsoleReader.MOST_ROWS)),
              DeadLetterRow[].class);
      long older = reader.summary().deadLetters() - letters.size();
      if (older > 0) {
        options.terminal.note(
            CountedNoun.of(older, "older one is", "older ones are")
                + " not kept by the console; the topic dead-letters has those of a month");
      }
    }
    Predicate<DeadLetterRow> wanted =
        it -> topic == null || it.topic().equals(topic) || it.topic().endsWith("." + topic);
    return table.print(
        Table.of(letters.reversed().stream().filter(wanted).toList())
            .column("key", DeadLetterRow::key)
            .column("reason", DeadLetterRow::reason)
            .wide("topic", DeadLetterRow::topic)
            .wide("partition", DeadLetterRow::partition)
            .wide("offset", DeadLetterRow::offset)
            .column("time", DeadLetterRow::at)
            .column("now", DeadLetterRow::now));
  }
}
