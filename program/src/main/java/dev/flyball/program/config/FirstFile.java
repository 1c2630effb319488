package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.scout.RepositoryFiles;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A first flyball.yaml: the questions for it, and its text made of the answers.
 *
 * @param remote the repository on GitHub to which the folder belongs; empty if it has none there
 * @param installed the agents whose programs are on PATH
 */
public record FirstFile(String remote, Set<String> installed) {
  /** The whole file, with a place for the answer of each key. */
  private static final String FILE =
      """
      # Written by `./flyball init`. docs/configuration.md has the keys that matter; `./flyball config` shows each value and where it
      # comes from. `up` reads this file again when it changes.
      tenant: default   # whose items these are; others are possible for each source

      # Most sessions at a time, over all runners. Later: ./flyball cap N
      cap: <cap>
      # Most dollars of a UTC day. Later: ./flyball budget
      budget: {daily: {usd: <budget.daily.usd>}}

      sources:
        # Polled every 5m unless `interval` says otherwise.
        - name: <name>
          type: <type>
          path: <path>
          url: <url>
          repository: <repository>
          team: <team>
          query: <query>
          project: <project>
          user: <user>
          # The variable's name; the token itself stays out of this file.
          token-env: <token-env>
          when: {labels: [<when.labels>]}
          start: <start>
          write-back: <write-back>   # comment: the analysis as a comment of its item

      sessions:
        # scout needs no model and costs nothing. All others cost money:
        # set budget.daily.usd before you choose one.
        agent: <sessions.agent>
        repo: <sessions.repo>
      """;

  /** A line of the file with a place, and the comment above it. */
  private static final Pattern LINE =
      Pattern.compile("(?m)^((?: *#.*\n)?[^#\n]*)<([a-z.-]+)>(.*\n)");

  private static final String TOKEN = "token-env";
  private static final String LABELS = "when.labels";
  private static final String START = "start";
  private static final String WRITE_BACK = "write-back";
  private static final String NONE = "-";
  private static final String PAID = "asks a model, costs money";
  private static final String FREE = "bundled, needs no model, costs nothing";

  /** Keys of a tracker that are asked for although it needs none, the rules last. */
  private static final List<String> FURTHER =
      List.of("url", "project", "user", TOKEN, LABELS, START, WRITE_BACK);

  private static final Key<String> TYPE = Section.choice(SourceConfig.class);

  private static final Pattern ON_GITHUB =
      Pattern.compile(
          "(?i)(?:https?://(?:www\\.)?|ssh://git@|git@)?github\\.com[:/]"
              + "([^/\\s]+/[^/\\s]+?)(?:\\.git)?(?:/.*)?");

  /** A key without a mark by which it is known. */
  private static final Pattern BARE_TOKEN =
      Pattern.compile("(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_=-]{32,}");

  private static final Redactor TOKENS = new Redactor(List.of());

  /** One of the values that a person may choose, and what it means. */
  public record Choice(String name, String meaning) {}

  /**
   * One question.
   *
   * @param key what its answer sets
   * @param text what a person is asked
   * @param choices what is offered by numbers; empty if anything may be written
   * @param initial the answer if the person gives none; empty if there is no default
   * @param optional whether the answer may be empty
   */
  public record Question(
      Key<?> key, String text, List<Choice> choices, String initial, boolean optional) {
    /** What a person means: a choice by its number or in any case, a repository by its address. */
    public String meant(String typed) {
      for (int i = 0; i < choices.size(); i++) {
        String name = choices.get(i).name();
        if (typed.equals(Integer.toString(i + 1)) || typed.equalsIgnoreCase(name)) {
          return name;
        }
      }
      return typed.equals(NONE) && optional
          ? ""
          : key.name().equals("repository") ? onGitHub(typed).orElse(typed) : typed;
    }

    /** Why an answer is not valid in this file, one line; empty if it is valid. */
    public Optional<String> refusal(String answer, Path file) {
      if (answer.isEmpty() && optional) {
        return Optional.empty();
      } else if (!TOKENS.redact(answer).equals(answer) || BARE_TOKEN.matcher(answer).matches()) {
        return Optional.of(
            "this looks like a token, which stays out of the file: put it into a variable, and"
                + " write the variable's name where that is asked for");
      }
      if (key.refusal(answer).isPresent()) {
        return Optional.of(
            choices.isEmpty()
                ? "please write " + key.type().allowed()
                : "please write the number or the name of one of these");
      }
      Path folder = file.toAbsolutePath().resolveSibling("");
      return key.value(new Setting(answer, "", folder)).orElseThrow()
                  instanceof RepositoryAddress.Folder(Path repository)
              && !Files.isDirectory(repository)
          ? Optional.of(repository + " does not exist, or is no folder")
          : Optional.empty();
    }
  }

  /** {@code owner/name} of an address on GitHub; empty for any other text. */
  public static Optional<String> onGitHub(String address) {
    return Optional.of(ON_GITHUB.matcher(address.strip()))
        .filter(Matcher::matches)
        .map(it -> it.group(1));
  }

  /** The same of the clone that a folder is in. */
  public static Optional<String> onGitHub(Path folder) {
    return RepositoryFiles.remotesOf(folder).stream()
        .flatMap(remote -> onGitHub(remote).stream())
        .findFirst();
  }

  /** The next question without an answer; empty if everything is known. */
  public Optional<Question> next(Map<String, String> answers) {
    return questions(answers).stream()
        .filter(question -> !answers.containsKey(question.key().name()))
        .findFirst();
  }

  private List<Question> questions(Map<String, String> answers) {
    var all = new ArrayList<Question>();
    all.add(
        question(
            TYPE,
            "Where are the items? (another tracker: export its items to a file, jsonl)",
            remote.isEmpty() ? "jsonl" : "github",
            Section.choices(SourceConfig.class).values().stream()
                .map(each -> each.getAnnotation(ConfigKey.class))
                .map(each -> new Choice(each.name(), each.meaning()))
                .toArray(Choice[]::new)));
    keys(answers).forEach(key -> all.add(question(key, answers)));
    all.add(question(Keys.REPO, "Repository that agents read", "."));
    all.add(
        question(
            Keys.AGENT,
            "Agent (" + missing() + "command:/path/to/program is possible too)",
            "scout",
            AgentProgram.named().stream()
                .filter(each -> !each.paid() || installed.contains(each.name()))
                .map(each -> new Choice(each.name(), each.paid() ? PAID : FREE))
                .toArray(Choice[]::new)));
    if (costs(answers)) {
      all.add(question(Keys.DAILY_BUDGET, "Most dollars of a day", "2"));
    }
    all.add(question(Keys.CAP, "Most sessions at a time", "3"));
    return all;
  }

  private String missing() {
    String missing =
        AgentProgram.named().stream()
            .filter(each -> each.paid() && !installed.contains(each.name()))
            .map(AgentProgram::name)
            .collect(Collectors.joining(", "));
    return missing.isEmpty() ? "" : "not on PATH: " + missing + "; ";
  }

  private static boolean costs(Map<String, String> answers) {
    return answers.containsKey(Keys.AGENT.name())
        && AgentProgram.parse(answers.get(Keys.AGENT.name())).paid();
  }

  /** The keys of the chosen source that are asked for, its name first. */
  private List<Key<?>> keys(Map<String, String> answers) {
    String type = answers.get(TYPE.name());
    if (type == null) {
      return List.of();
    }
    var setting = Map.of(TYPE.name(), new Setting(type, "", Configuration.HERE));
    return EntryList.SOURCES.keys(setting).stream()
        .filter(key -> !key.name().equals(TYPE.name()))
        .filter(key -> key.required() || (!type.equals("jsonl") && FURTHER.contains(key.name())))
        // A clone of github.com has shown where the issues are, and Linear has one address.
        .filter(key ->
            key.required()
                || !key.name().equals("url")
                || (remote.isEmpty() && !type.equals("linear")))
        .sorted(Comparator.comparingInt(key -> key.required() ? -1 : FURTHER.indexOf(key.name())))
        .toList();
  }

  private Question question(Key<?> key, Map<String, String> answers) {
    return switch (key.name()) {
      case "name" -> question(key, "Name of this source", "main");
      case "repository" -> question(key, "Repository with the issues, owner/name", remote);
      case TOKEN ->
          question(key, "Environment variable with the token, not the token itself", key.example());
      case LABELS ->
          new Question(
              key,
              "Only items with one of these labels, as a, b (- for all)",
              List.of(),
              "needs-analysis",
              true);
      case START ->
          question(
              key,
              "Which items are taken? (also those changed since a day: 2026-11-01)",
              // A label decides alone: the item is wanted, however old it is.
              answers.getOrDefault(LABELS, "").isEmpty() ? "now" : "all",
              new Choice("now", "those that change from now on"),
              new Choice("all", "all, however old their last change is"));
      case WRITE_BACK ->
          question(
              key,
              "Where do analyses go?",
              "off",
              new Choice("off", "nothing is written to the tracker"),
              new Choice("comment", "each becomes a comment of its item"));
      default ->
          new Question(
              key,
              key.name() + ": " + key.meaning().replace("`", ""),
              List.of(),
              key.example(),
              !key.required());
    };
  }

  private static Question question(Key<?> key, String text, String initial, Choice... choices) {
    return new Question(key, text, List.of(choices), initial, false);
  }

  /** The default answers: items from a file, scout, a cap of 3. */
  public static Map<String, String> usual() {
    var file = new FirstFile("", Set.of());
    var answers = new LinkedHashMap<String, String>();
    for (Optional<Question> next = file.next(answers);
        next.isPresent();
        next = file.next(answers)) {
      answers.put(next.get().key().name(), next.get().initial());
    }
    return answers;
  }

  /** The environment variable that must hold a token; empty if none is needed. */
  public static Optional<String> variable(Map<String, String> answers) {
    return Optional.ofNullable(answers.get(TOKEN));
  }

  /**
   * The comment that names the JSON Schema to editors; empty if this installation has none.
   *
   * @param home the folder of the installation
   */
  public static String schemaLine(Path home, Path target) {
    Path schema = home.toAbsolutePath().resolve("docs/flyball.schema.json").normalize();
    Path folder = target.toAbsolutePath().normalize().getParent();
    return folder != null && Files.exists(schema)
        ? "# yaml-language-server: $schema=" + folder.relativize(schema) + "\n"
        : "";
  }

  /** The file's text: a line without an answer goes, with the comment above it. */
  public static String yaml(Map<String, String> answers) {
    return LINE.matcher(FILE)
        .replaceAll(line -> {
          String answer = answers.getOrDefault(line.group(2), "");
          // A comma separates labels here as it does in YAML.
          List<String> parts =
              line.group(2).equals(LABELS) ? List.of(answer.split("\\s*,\\s*")) : List.of(answer);
          String value = parts.stream().map(FirstFile::quoted).collect(Collectors.joining(", "));
          return answer.isEmpty()
              ? ""
              : Matcher.quoteReplacement(line.group(1) + value + line.group(3));
        });
  }

  /** The value plain where YAML reads it as it is, else as JSON, which YAML reads unchanged. */
  private static String quoted(String answer) {
    return answer.matches("[A-Za-z][A-Za-z_.-]{3,}|\\.|[0-9]+|[0-9]*\\.[0-9]+")
            && !answer.matches("(?i)true|false|null")
        ? answer
        : RecordJson.write(answer);
  }
}
