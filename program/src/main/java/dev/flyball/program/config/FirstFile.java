package dev.flyball.program.config;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A first flyball.yaml: the questions for it, and its text made of the answers. */
public final class FirstFile {
  private static final String HEAD =
      """
      # Written by `./flyball init`. docs/configuration.md has the keys that matter; `./flyball config` shows each value and where it
      # comes from. `up` reads this file again when it changes.
      """;

  private static final String TOKEN = "token-env";

  /** Keys of a source that are asked for although it needs none. */
  private static final Set<String> OPTIONAL = Set.of("project", "user");

  private static final Key<String> TYPE = Section.choice(SourceConfig.class);

  private FirstFile() {}

  /**
   * One question.
   *
   * @param key what its answer sets
   * @param text what a person is asked
   * @param initial the answer if the person gives none; empty if there is no default
   * @param optional whether the answer may be empty
   */
  public record Question(Key<?> key, String text, String initial, boolean optional) {
    /** Why an answer is not valid, one line; empty if it is valid. */
    public Optional<String> refusal(String answer) {
      return answer.isEmpty() && optional
          ? Optional.empty()
          : key.refusal(answer).map(_ -> "please write " + key.type().allowed());
    }
  }

  /** The next question without an answer; empty if everything is known. */
  public static Optional<Question> next(Map<String, String> answers) {
    return questions(answers).stream()
        .filter(question -> !answers.containsKey(question.key().name()))
        .findFirst();
  }

  private static List<Question> questions(Map<String, String> answers) {
    var all = new ArrayList<Question>();
    all.add(question(Keys.TENANT, "Tenant, whose items these are", "default"));
    all.add(question(TYPE, "Tracker: " + TYPE.type().allowed().replace("one of ", ""), "jsonl"));
    if (answers.containsKey(TYPE.name())) {
      keys(answers).forEach(key -> all.add(question(key)));
    }
    all.add(question(Keys.REPO, "Repository that agents read", "."));
    all.add(
        question(Keys.AGENT, "Agent; scout is bundled, needs no model, costs nothing", "scout"));
    all.add(question(Keys.CAP, "Most sessions at a time", "3"));
    return all;
  }

  /** The keys of the chosen source that are asked for, its name first. */
  private static List<Key<?>> keys(Map<String, String> answers) {
    return EntryList.SOURCES.keys(ofType(answers.getOrDefault(TYPE.name(), ""))).stream()
        .filter(key -> !key.name().equals(TYPE.name()))
        .filter(key -> key.required() || key.name().equals(TOKEN) || OPTIONAL.contains(key.name()))
        .toList();
  }

  private static Map<String, Setting> ofType(String type) {
    return Map.of(TYPE.name(), new Setting(type, "", Configuration.HERE));
  }

  private static Question question(Key<?> key) {
    return switch (key.name()) {
      case "name" -> question(key, "Name of this source", "main");
      case TOKEN ->
          question(key, "Environment variable with the token, not the token itself", key.example());
      default ->
          new Question(
              key,
              key.name() + ": " + key.meaning().replace("`", ""),
              key.example(),
              !key.required());
    };
  }

  private static Question question(Key<?> key, String text, String initial) {
    return new Question(key, text, initial, false);
  }

  /** The default answers: items from a file, scout, a cap of 3. */
  public static Map<String, String> usual() {
    var answers = new LinkedHashMap<String, String>();
    for (Optional<Question> next = next(answers); next.isPresent(); next = next(answers)) {
      answers.put(next.get().key().name(), next.get().initial());
    }
    return answers;
  }

  /** The environment variable that must hold a token; empty if none is needed. */
  public static Optional<String> variable(Map<String, String> answers) {
    return Optional.ofNullable(answers.get(TOKEN));
  }

  /** The folder that agents read, relative to this file's place if it is not absolute. */
  public static Optional<Path> repository(Map<String, String> answers, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return Optional.ofNullable(answers.get(Keys.REPO.name()))
        .map(
            repository -> (folder == null ? Path.of("/") : folder).resolve(repository).normalize());
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

  /** The file's text. */
  public static String yaml(Map<String, String> answers) {
    var yaml = new StringBuilder(HEAD);
    line(yaml, "", Keys.TENANT, answers);
    yaml.append("\n# Most sessions at a time, over all runners. Later: ./flyball cap N\n");
    line(yaml, "", Keys.CAP, answers);
    yaml.append("\nsources:\n");
    yaml.append("  # Polled every 5m unless `interval` says otherwise.\n");
    List<Key<?>> keys = keys(answers);
    line(yaml, "  - ", keys.getFirst(), answers);
    line(yaml, "    ", TYPE, answers);
    for (Key<?> key : keys.subList(1, keys.size())) {
      if (key.name().equals(TOKEN)) {
        yaml.append("    # The variable's name; the token itself stays out of this file.\n");
      }
      line(yaml, "    ", key, answers);
    }
    if (answers.containsKey(TOKEN)) {
      yaml.append(
          "    # write-back: comment   # the analysis as a comment of its item; off by default\n");
    }
    yaml.append("\nsessions:\n");
    yaml.append("  # scout needs no model and costs nothing. All others cost money:\n");
    yaml.append("  # set budget.daily.usd before you choose one.\n");
    line(yaml, "  ", Keys.AGENT, answers);
    line(yaml, "  ", Keys.REPO, answers);
    return yaml.toString();
  }

  private static void line(
      StringBuilder yaml, String indent, Key<?> key, Map<String, String> answers) {
    String answer = answers.getOrDefault(key.name(), "");
    if (!answer.isEmpty()) {
      String name = key.name().replaceFirst("^sessions\\.", "");
      yaml.append(indent).append(name).append(": ");
      yaml.append(key.equals(Keys.CAP) ? answer : quoted(answer)).append('\n');
    }
  }

  /**
   * The value plain where YAML cannot read it as anything else, else as JSON, which YAML reads
   * unchanged.
   */
  private static String quoted(String answer) {
    return answer.matches("[A-Za-z][A-Za-z_.-]{3,}|\\.") && !answer.matches("(?i)true|false|null")
        ? answer
        : RecordJson.write(answer);
  }
}
