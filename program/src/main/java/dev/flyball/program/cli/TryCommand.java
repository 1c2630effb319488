package dev.flyball.program.cli;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfiguredProfiles;
import dev.flyball.program.config.FirstFile;
import dev.flyball.program.config.Keys;
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
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.RulesClassifier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows what Flyball would make of open issues; it starts and spends nothing. */
final class TryCommand {
  /** Issues whose places are searched for in the repository. */
  private static final int CARDS = 3;

  private static final int PLACES = 2;
  private static final int PAIRS = 5;
  private static final int WIDTH = 80;

  /** Parts of a long list, of 20 requests each: without a token GitHub answers 60 an hour. */
  private static final int PARTS = 2;

  private static final int PARTS_WITH_A_TOKEN = 50;

  private TryCommand() {}

  /** What was read, and from where. */
  private record Backlog(
      String name, Map<ItemKey, Snapshot> items, List<String> unread, String how, boolean whole) {}

  @Command(name = "try", mixinStandardHelpOptions = true)
  static Exit trial(
      @Mixin ConfigurationOptions options,
      @Parameters(
              arity = "0..1",
              paramLabel = "ISSUES",
              description =
                  "owner/name on GitHub, a file as `run` reads it, or - for standard input"
                      + " (default: the GitHub repository of this clone)")
          @Nullable String issues,
      @Option(
              names = "--prompt",
              paramLabel = "ID",
              description = "Print the prompt that an agent would get for this issue")
          @Nullable String prompt,
      @Option(
              names = "--api",
              paramLabel = "URL",
              defaultValue = "https://api.github.com",
              description = "GitHub's API; of an enterprise server https://HOST/api/v3")
          URI api)
      throws IOException {
    Terminal terminal = options.terminal();
    Path here = Path.of("").toAbsolutePath();
    Optional<String> clone = RepositoryFiles.originOf(here).flatMap(FirstFile::onGitHub);
    Backlog backlog = backlog(terminal, issues, clone, api);
    Trial trial = Trial.of(backlog.items());
    boolean ours = issues == null || clone.equals(repository(issues)) || isFile(issues);
    if (prompt != null) {
      return prompt(terminal, backlog, prompt, ours ? here : null);
    }
    report(terminal, backlog, trial, cost(options.load(), trial.worth().size()));
    if (ours && RepositoryFiles.commitOf(here) != null) {
      cards(terminal, trial, here);
    }
    next(terminal, issues, trial);
    return Exit.DONE;
  }

  private static boolean isFile(String issues) {
    return issues.equals("-") || Files.exists(Path.of(issues));
  }

  private static Optional<String> repository(String issues) {
    return issues.matches("[\\w.-]+/[\\w.-]+") ? Optional.of(issues) : FirstFile.onGitHub(issues);
  }

  private static Backlog backlog(
      Terminal terminal, @Nullable String issues, Optional<String> clone, URI api)
      throws IOException {
    if (issues != null && isFile(issues)) {
      return ofFile(issues);
    }
    String repository =
        Optional.ofNullable(issues)
            .flatMap(TryCommand::repository)
            .or(() -> issues == null ? clone : Optional.empty())
            .orElseThrow(() ->
                new ConfigurationError(
                    issues == null
                        ? "this folder is no clone of a repository on GitHub; name one as"
                            + " owner/name, or a file of issues"
                        : issues + ": no such file, and not owner/name"));
    Credential token =
        Stream.of("GITHUB_TOKEN", "GH_TOKEN")
            .filter(each -> !terminal.environment().getOrDefault(each, "").isBlank())
            .<Credential>map(Credential.Environment::new)
            .findFirst()
            .orElseGet(Credential.None::new);
    var identity =
        new SourceConfig.Identity(
            SourceConfig.DEFAULT_TENANT, "github", SourceConfig.DEFAULT_INTERVAL);
    var github = new SourceConfig.GitHub(identity, SourceRules.DEFAULT, api, repository, token);
    String how =
        token instanceof Credential.Environment own ? "with " + own.variable() : "no token";
    terminal.note("reading the open issues of " + repository + " ...");
    return read(
        repository,
        new GitHubSource(github, InstantSource.system(), new TrackerLimits()),
        how,
        token instanceof Credential.None ? PARTS : PARTS_WITH_A_TOKEN);
  }

  private static Backlog ofFile(String issues) throws IOException {
    boolean piped = issues.equals("-");
    Path file = piped ? Files.createTempFile("flyball-try", ".json") : Path.of(issues);
    try {
      if (piped) {
        StartCommands.keep(System.in, file);
      }
      var named = SourceConfig.Jsonl.of(file);
      return read(
          piped ? "standard input" : file.toString(),
          new JsonlSource(file, named.tenant(), named.name(), InstantSource.system()),
          "a file",
          PARTS);
    } finally {
      if (piped) {
        Files.delete(file);
      }
    }
  }

  /** The newest snapshot of each item; of a list that is too long its first parts. */
  private static Backlog read(String name, Source source, String how, int parts) {
    var snapshots =
        new Snapshots(
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS,
            SourceRules.DEFAULT);
    var items = new LinkedHashMap<ItemKey, Snapshot>();
    var unread = new ArrayList<String>();
    String cursor = null;
    for (int part = 0; part < parts; part++) {
      switch (source.poll(cursor, RequestPermission.GRANTED)) {
        case PollResult.Failed failed -> {
          if (items.isEmpty()) {
            throw new StartFailure(failed.failure().reason());
          }
          return new Backlog(name, items, unread, how, false);
        }
        case PollResult.Read read -> {
          for (RawItem item : read.items()) {
            items.put(item.key(), snapshots.of(item, true));
          }
          read.invalid().forEach(each -> unread.add(each.text()));
          cursor = read.cursor();
          if (!read.more()) {
            return new Backlog(name, items, unread, how, true);
          }
        }
      }
    }
    return new Backlog(name, items, unread, how, false);
  }

  /** What sessions of claude may cost, as they are configured or by default. */
  private static String cost(Configuration configuration, int sessions) {
    Configuration paid =
        configuration.find(Keys.AGENT).isPresent()
                && new AppConfigurations(configuration).agents().paid()
            ? configuration
            : configuration.with(Keys.AGENT, "claude", "try");
    ConfiguredProfiles agents = new AppConfigurations(paid).agents();
    return CountedNoun.of(sessions, "session", "sessions")
        + " of "
        + agents.paidAgents()
        + " would cost at most $"
        + Dollars.rounded(agents.highestReserve() * sessions)
        + ", $"
        + Dollars.rounded(agents.highestReserve())
        + " each"
        + agents.dailyBudget().map(day -> " and $" + Dollars.rounded(day) + " a day").orElse("");
  }

  private static void report(Terminal terminal, Backlog backlog, Trial trial, String cost) {
    say(
        terminal,
        backlog.name()
            + ": "
            + CountedNoun.of(trial.open(), "open issue", "open issues")
            + " read ("
            + backlog.how()
            + ")"
            + (backlog.whole() ? "" : "; there are more; GITHUB_TOKEN allows more requests"));
    if (!backlog.unread().isEmpty()) {
      say(
          terminal,
          CountedNoun.of(backlog.unread().size(), "entry", "entries")
              + " cannot be read, the first: "
              + backlog.unread().getFirst());
    }
    say(terminal, "");
    say(terminal, count(trial.worth().size()) + "deserve an agent");
    int others = trial.open() - trial.worth().size();
    say(terminal, count(others) + "do not:");
    trial.others().forEach((why, many) -> say(terminal, "    " + count(many) + why.text()));
    if (!trial.alike().isEmpty()) {
      say(terminal, count(trial.lookAlike()) + "look like another one, for example:");
      trial.alike().stream()
          .limit(PAIRS)
          .forEach(pair ->
              say(
                  terminal,
                  "         "
                      + pair.first().key().id()
                      + " and "
                      + pair.second().key().id()
                      + "  "
                      + pair.first().snapshot().title()));
    }
    say(terminal, "");
    say(terminal, cost + ".");
    say(terminal, "Nothing was started, and nothing has been spent.");
  }

  private static String count(long items) {
    return String.format(Locale.ROOT, "%6d ", items);
  }

  /** Where scout would send an agent for the first issues: words alone, no model. */
  private static void cards(Terminal terminal, Trial trial, Path repository) throws IOException {
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
      say(terminal, "");
      say(terminal, each.key().id() + "  " + snapshot.title());
      say(terminal, "    " + each.judgement().reason());
      if (places.isEmpty()) {
        say(terminal, "    no file matches the words of the issue clearly");
      }
      places.stream()
          .limit(PLACES)
          .flatMap(String::lines)
          .forEach(line -> say(terminal, "    " + line));
    }
  }

  private static void next(Terminal terminal, @Nullable String issues, Trial trial) {
    String which = issues == null ? "" : " " + issues;
    say(terminal, "");
    say(terminal, "Next:");
    trial.worth().stream()
        .findFirst()
        .ifPresent(
            first -> say(terminal, "  ./flyball try" + which + " --prompt " + first.key().id()));
    say(terminal, "  ./flyball demo    see agents that misbehave, and how they are ended");
    say(terminal, "  ./flyball init    choose a tracker, an agent and a daily budget");
  }

  private static Exit prompt(
      Terminal terminal, Backlog backlog, String id, @Nullable Path repository) throws IOException {
    Map.Entry<ItemKey, Snapshot> item =
        backlog.items().entrySet().stream()
            .filter(each -> each.getKey().id().equals(id) || each.getKey().toString().equals(id))
            .findFirst()
            .orElseThrow(() ->
                new ConfigurationError("--prompt " + id + ": no open issue of " + backlog.name()));
    Judgement judgement = RulesClassifier.judge("", item.getValue());
    var verdict =
        new Verdict(
            "try",
            judgement.needsDeepAnalysis(),
            judgement.complexity(),
            judgement.modules(),
            judgement.priority(),
            judgement.reason(),
            "rules",
            "try",
            0,
            null);
    var request =
        new SessionRequest(
            "try", 1, 1, Instant.EPOCH, Route.USUAL, item.getValue(), verdict, null, null);
    String codebase = repository == null ? "" : codebase(repository);
    terminal.out().println(DeepPrompt.BUNDLED.of(item.getKey(), request, () -> codebase));
    return Exit.DONE;
  }

  private static String codebase(Path repository) throws IOException {
    var summary = new CodebaseSummary();
    boolean complete =
        RepositoryFiles.open(repository, List.of()).list(summary::add, 100_000, () -> false);
    return summary.of(RepositoryFiles.commitOf(repository), complete);
  }

  /** One line of the answer. Titles are foreign text. */
  private static void say(Terminal terminal, String line) {
    terminal.out().println(terminal.outIsTty() ? PlainText.cut(line, WIDTH) : PlainText.line(line));
  }
}
