package dev.flyball.program.cli;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.cli.RoleCommands.Items;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.FirstFile;
import dev.flyball.program.run.Estimate;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.program.trial.Trial;
import dev.flyball.program.trial.Trial.Candidate;
import dev.flyball.runner.codebase.CodebaseSummary;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.scout.RepositoryFiles;
import dev.flyball.scout.ScoutInput;
import dev.flyball.scout.ScoutMain;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.JsonlSource;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.RulesClassifier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows what Flyball would make of open issues; it starts and spends nothing. */
record TryCommand(Terminal terminal) {
  /** Issues whose places are searched for in the repository. */
  private static final int CARDS = 3;

  /** Issues that deserve an agent and are all named. */
  private static final int WORTH = 10;

  private static final int PLACES = 2;
  private static final int GROUPS = 5;

  /** Parts of a long list, of 20 requests each: without a token GitHub answers 60 an hour. */
  private static final int PARTS = 2;

  private static final int PARTS_WITH_A_TOKEN = 50;

  /** What was read, and from where; {@code more} says so if that is not all. */
  private record Backlog(
      String name, Map<ItemKey, Snapshot> items, List<String> unread, String how, String more) {}

  @Command(name = "try", mixinStandardHelpOptions = true)
  static Exit trial(
      @Mixin ConfigurationOptions options,
      @Parameters(arity = "0..1", paramLabel = "ISSUES") @Nullable String issues,
      @Option(names = "--prompt", paramLabel = "ID") @Nullable String prompt,
      @Option(names = "--api", paramLabel = "URL", defaultValue = "https://api.github.com") URI api)
      throws IOException {
    var command = new TryCommand(options.terminal);
    Path here = Path.of("").toAbsolutePath();
    Optional<String> clone = FirstFile.onGitHub(here);
    Backlog backlog = command.backlog(issues, clone, api);
    boolean ours = issues == null || clone.equals(named(issues)) || isFile(issues);
    if (prompt != null) {
      options.terminal.out().println(prompt(backlog, prompt, ours ? here : null));
      return Exit.DONE;
    }
    Trial trial = Trial.of(backlog.items());
    command.report(backlog, trial, Estimate.ofSessions(trial.worth().size(), options.load()));
    if (ours && RepositoryFiles.commitOf(here) != null) {
      command.cards(trial, here);
    }
    command.next(issues, trial);
    return Exit.DONE;
  }

  private static boolean isFile(String issues) {
    return issues.equals("-") || Files.exists(Path.of(issues));
  }

  private static Optional<String> named(String issues) {
    return issues.matches("[\\w.-]+/[\\w.-]+") ? Optional.of(issues) : FirstFile.onGitHub(issues);
  }

  private Backlog backlog(@Nullable String issues, Optional<String> clone, URI api) {
    if (issues != null && isFile(issues)) {
      try (var items =
          issues.equals("-") ? Items.of(Path.of("-")) : new Items(Path.of(issues), false)) {
        var named = SourceConfig.Jsonl.of(items.file());
        return read(
            items.piped() ? "standard input" : issues,
            new JsonlSource(items.file(), named.tenant(), named.name(), InstantSource.system()),
            "a file",
            PARTS,
            "");
      }
    }
    String repository = repository(issues, clone);
    Optional<String> variable =
        Stream.of("GITHUB_TOKEN", "GH_TOKEN")
            .filter(each -> !terminal.environment().getOrDefault(each, "").isBlank())
            .findFirst();
    Credential token =
        variable.<Credential>map(Credential.Environment::new).orElseGet(Credential.None::new);
    var identity =
        new SourceConfig.Identity(
            SourceConfig.DEFAULT_TENANT, "github", SourceConfig.DEFAULT_INTERVAL);
    var github = new SourceConfig.GitHub(identity, SourceRules.DEFAULT, api, repository, token);
    terminal.note("reading the open issues of " + repository + " ...");
    return read(
        repository,
        github.open(InstantSource.system(), new TrackerLimits()),
        variable.map(each -> "with " + each).orElse("no token"),
        variable.isEmpty() ? PARTS : PARTS_WITH_A_TOKEN,
        variable.isEmpty() ? "; GITHUB_TOKEN allows more requests, and private repositories" : "");
  }

  /**
   * The repository on GitHub whose issues are read.
   *
   * @param clone where this folder's clone is from, if that is GitHub
   */
  static String repository(@Nullable String issues, Optional<String> clone) {
    return (issues == null ? clone : named(issues))
        .orElseThrow(() ->
            new ConfigurationError(
                issues == null
                    ? "this folder is no clone of a repository on GitHub; name one, as in"
                        + " ./flyball try OWNER/NAME, or a file of issues"
                    : issues + ": no such file, and not owner/name"));
  }

  /**
   * The newest snapshot of each item; of a list that is too long its first parts.
   *
   * @param fix what would allow to read more
   */
  private static Backlog read(String name, Source source, String how, int parts, String fix) {
    var snapshots =
        new Snapshots(
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS,
            SourceRules.DEFAULT);
    var items = new LinkedHashMap<ItemKey, Snapshot>();
    var unread = new ArrayList<String>();
    String cursor = null;
    for (int part = 0; part < parts; part++) {
      PollResult read;
      try {
        read = source.poll(cursor, RequestPermission.GRANTED);
      } catch (SourceFailure e) {
        if (items.isEmpty()) {
          throw new StartFailure(e.failure().reason() + fix);
        }
        break;
      }
      read.items().forEach(item -> items.put(item.key(), snapshots.of(item, true)));
      read.invalid().forEach(each -> unread.add(each.text()));
      cursor = read.cursor();
      if (!read.more()) {
        return new Backlog(name, items, unread, how, "");
      }
    }
    return new Backlog(name, items, unread, how, "; there are more" + fix);
  }

  private void report(Backlog backlog, Trial trial, String cost) {
    String read = CountedNoun.of(trial.open(), "open issue", "open issues") + " read";
    say(backlog.name() + ": " + read + " (" + backlog.how() + ")" + backlog.more());
    List<String> unread = backlog.unread();
    if (!unread.isEmpty()) {
      String entries = CountedNoun.of(unread.size(), "entry", "entries");
      say(entries + " cannot be read, the first: " + unread.getFirst());
    }
    if (trial.open() == 0) {
      return;
    }
    say("");
    int worth = trial.worth().size();
    say(count(worth) + (worth == 1 ? "deserves an agent" : "deserve an agent"));
    trial.worth().stream().limit(WORTH).forEach(it -> say("         " + titled(it)));
    if (worth > WORTH) {
      say("         and " + (worth - WORTH) + " more");
    }
    say(count(trial.open() - worth) + (trial.open() - worth == 1 ? "does not:" : "do not:"));
    trial.others().entrySet().stream()
        .sorted(Comparator.comparingInt(each -> -each.getValue().size()))
        .forEach(each -> {
          say("    " + count(each.getValue().size()) + each.getKey().text());
          say("           " + ids(each.getValue()));
        });
    if (!trial.alike().isEmpty()) {
      say(count(trial.lookAlike()) + "look like another one, for example:");
    }
    for (List<Candidate> group : trial.alike().stream().limit(GROUPS).toList()) {
      say("         " + group.getFirst().snapshot().title());
      say("           " + ids(group));
    }
    say("");
    say(cost);
    say("Nothing was started, and nothing has been spent.");
  }

  private static String titled(Candidate item) {
    return item.key().id() + "  " + item.snapshot().title();
  }

  private static String ids(List<Candidate> items) {
    return items.stream().map(each -> each.key().id()).collect(Collectors.joining(", "));
  }

  private static String count(long items) {
    return String.format(Locale.ROOT, "%6d ", items);
  }

  /** Where scout would send an agent for the first issues: words alone, no model. */
  private void cards(Trial trial, Path repository) throws IOException {
    for (Candidate each : trial.worth().stream().limit(CARDS).toList()) {
      Snapshot snapshot = each.snapshot();
      List<String> places =
          ScoutMain.places(
              repository,
              new ScoutInput(
                  each.key().toString(),
                  snapshot.title(),
                  snapshot.text(),
                  snapshot.tags(),
                  each.judgement().modules()));
      say("");
      say(titled(each));
      say("    " + each.judgement().reason());
      if (places.isEmpty()) {
        say("    no file matches the words of the issue clearly");
      }
      places.stream().limit(PLACES).flatMap(String::lines).forEach(line -> say("    " + line));
    }
  }

  private void next(@Nullable String issues, Trial trial) {
    String which = issues == null ? "" : " " + issues;
    say("");
    say("Next:");
    if (!trial.worth().isEmpty()) {
      String piped = "-".equals(issues) ? "  ... |" : " ";
      say(piped + " ./flyball try" + which + " --prompt " + trial.worth().getFirst().key().id());
    }
    say("  ./flyball drill   see agents that misbehave, and how they are ended");
    say("  ./flyball init    choose a tracker, an agent and a daily budget");
  }

  private static String prompt(Backlog backlog, String id, @Nullable Path repository)
      throws IOException {
    Map.Entry<ItemKey, Snapshot> item =
        backlog.items().entrySet().stream()
            .filter(each -> each.getKey().id().equals(id) || each.getKey().toString().equals(id))
            .findFirst()
            .orElseThrow(() ->
                new ConfigurationError("--prompt " + id + ": no open issue of " + backlog.name()));
    var asked = List.of(new Question("try", item.getKey(), item.getValue()));
    var rules = new RulesClassifier();
    Verdict verdict = rules.classify("try", asked).verdicts(asked, rules, "try").getFirst();
    var request =
        new SessionRequest(
            "try", 1, 1, Instant.EPOCH, Route.USUAL, item.getValue(), verdict, null, null);
    String codebase = repository == null ? "" : codebase(repository);
    return DeepPrompt.BUNDLED.of(item.getKey(), request, () -> codebase);
  }

  private static String codebase(Path repository) throws IOException {
    var summary = new CodebaseSummary();
    boolean complete =
        RepositoryFiles.open(repository, List.of()).list(summary::add, 100_000, () -> false);
    return summary.of(RepositoryFiles.commitOf(repository), complete);
  }

  /** One line of the answer. Titles are foreign text. */
  private void say(String line) {
    terminal
        .out()
        .println(
            terminal.outIsTty() ? PlainText.cut(line, terminal.width()) : PlainText.line(line));
  }
}
