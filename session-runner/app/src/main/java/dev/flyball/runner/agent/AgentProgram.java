package dev.flyball.runner.agent;

import dev.flyball.runner.prompt.DeepPrompt;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program that may run as an agent, with its model: its class has everything that Flyball knows
 * of it, and {@link #byModel} has one line for it.
 *
 * <p>The repositories that agents read are foreign: nothing in their files may start a program, and
 * no flag ever bypasses a permission.
 */
public interface AgentProgram {
  /** Makes an agent that asks a model. */
  interface ByModel {
    /** The agent with this model; null for its program's choice. */
    AgentProgram of(@Nullable String model);
  }

  /** Those that ask a model. */
  private static List<ByModel> byModel() {
    return List.of(
        Claude::new, //
        Codex::new,
        Gemini::new,
        Qwen::new,
        Copilot::new);
  }

  /** The agents that are chosen by their name. */
  static List<AgentProgram> named() {
    return Stream.concat(Stream.of(new Scout()), byModel().stream().map(it -> it.of(null)))
        .toList();
  }

  /** The names of those that ask a model, for help and errors. */
  static List<String> ofModels() {
    return byModel().stream().map(each -> each.of(null).name()).toList();
  }

  /** What may be configured besides scout, for help and errors. */
  static String known() {
    return String.join(", ", ofModels()) + " or command:/path/to/program";
  }

  /** Everything that may be configured, as a regular expression. */
  static String pattern() {
    return named().stream().map(AgentProgram::name).collect(Collectors.joining("|"))
        + "|command:.+";
  }

  /**
   * Reads a configured name.
   *
   * @throws IllegalArgumentException if there is no such agent; the message lists the known ones
   */
  static AgentProgram parse(String text) {
    return text.startsWith(Command.PREFIX)
        ? new Command(text.substring(Command.PREFIX.length()))
        : named().stream()
            .filter(each -> each.name().equals(text))
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "sessions.agent '" + text + "' is unknown; use scout, " + known()));
  }

  /** The file in the working directory from which a program may read the schema of an answer. */
  String SCHEMA_FILE = "answer-schema.json";

  /**
   * What is known of a program, whatever its model.
   *
   * @param name as it is configured
   * @param executable the program to look for, a name or a path; null if it is bundled
   * @param installation the command that installs it; null for any other program
   * @param sessionModel the model of its sessions unless one is configured: of medium price, so
   *     that no session runs on the dearest model only because a program or an account defaults to
   *     it; null for an agent without a model
   * @param triageModel the cheapest model that judges a batch of items well enough, for triage
   *     unless one is configured; null for an agent without a model
   * @param provider whose rate limits its sessions share; null for an agent that calls none
   * @param arguments what a profile may add; null for any, as only its author knows its options
   */
  record Facts(
      String name,
      @Nullable String executable,
      @Nullable String installation,
      @Nullable String sessionModel,
      @Nullable String triageModel,
      @Nullable String provider,
      @Nullable AgentArguments arguments) {}

  /** What is known of it, whatever its model. */
  Facts facts();

  /** Its name, as it is configured. */
  default String name() {
    return facts().name();
  }

  /** The model that is configured; null for the program's choice, or for an agent without one. */
  default @Nullable String model() {
    return null;
  }

  /** This agent with a model; an agent that has none stays as it is. */
  default AgentProgram withModel(@Nullable String model) {
    return byModel().stream()
        .map(each -> each.of(model))
        .filter(each -> each.name().equals(name()))
        .findFirst()
        .orElse(this);
  }

  /**
   * The provider whose rate limits its sessions share: the scope that a rejected call pauses. With
   * the family of its model where the provider limits families apart. Null for an agent that calls
   * no provider.
   */
  default @Nullable String provider() {
    return facts().provider();
  }

  /** Whether its sessions cost money: those that call a provider do. */
  default boolean paid() {
    return provider() != null;
  }

  /** Whether the cost of a session is known without prices. */
  default boolean reportsCost() {
    return false;
  }

  /** Whether a profile may name the tools that it offers to its model. */
  default boolean takesTools() {
    return false;
  }

  /** The program as it runs a session. */
  Agent session(Setup setup);

  /**
   * The program as it answers one question, for example what triage asks about a batch: without
   * tools, without the settings of a folder or a user, with a schema for the answer.
   *
   * @param schema a JSON Schema that the answer has to match
   * @param budgetMicros most micro-dollars of the call, 0 for no limit
   * @return empty if it answers no questions
   */
  default Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    return Optional.of(session(new Setup(DeepPrompt.BUNDLED, List.of(), List.of(), budgetMicros)));
  }

  /**
   * What a session has besides the program.
   *
   * @param tools what it may offer to its model, if it takes tools
   * @param excluded folders that scout never opens, for example the data folder
   * @param budgetMicros most micro-dollars of one session, 0 for no limit
   */
  record Setup(DeepPrompt prompt, List<String> tools, List<Path> excluded, long budgetMicros) {
    /** The bundled prompt with its tools, and no limits. */
    public static final Setup DEFAULT =
        new Setup(DeepPrompt.BUNDLED, DeepPrompt.BUNDLED.search().tools(), List.of(), 0);

    public Setup {
      tools = List.copyOf(tools);
      excluded = List.copyOf(excluded);
    }
  }

  /** The arguments that choose a model. */
  static List<String> model(@Nullable String model) {
    return model == null ? List.of() : List.of("--model", model);
  }

  /**
   * The arguments that a profile may add to an agent's command line. Only known options are
   * accepted, so that none widens what the agent may do, none takes away what Flyball sets itself,
   * and nothing is read as the prompt, which every user of the machine could see in the list of
   * processes.
   *
   * @param valued options that a value follows, as the next argument or after an equals sign
   * @param plain options without a value
   * @param values whether an option may have a value
   * @param accepted what values those options may have, for errors
   */
  public record AgentArguments(
      Set<String> valued, Set<String> plain, BiPredicate<String, String> values, String accepted) {

    /** How agents name what lets them do anything. */
    private static final Pattern BYPASS =
        Pattern.compile(
            "dangerously|bypass.?(permissions|approvals)|danger-full-access|--?yolo|full-?auto",
            Pattern.CASE_INSENSITIVE);

    /** Options whose values need no check. */
    AgentArguments(Set<String> valued, Set<String> plain) {
      this(valued, plain, (option, value) -> true, "");
    }

    /**
     * Rejects arguments that this agent must not get.
     *
     * @throws IllegalArgumentException with the argument and what is accepted
     */
    public static void check(AgentProgram agent, List<String> arguments) {
      for (String each : arguments) {
        if (BYPASS.matcher(each).find()) {
          throw new IllegalArgumentException(
              "args '" + each + "' bypasses permissions, which Flyball never does; remove it");
        }
      }
      AgentArguments accepted = agent.facts().arguments();
      if (accepted != null) {
        accepted.check(agent.name(), arguments);
      }
    }

    private void check(String agent, List<String> arguments) {
      for (var rest = arguments.iterator(); rest.hasNext(); ) {
        String argument = rest.next();
        if (plain.contains(argument)) {
          continue;
        }
        String[] parts = argument.split("=", 2);
        String option = parts[0];
        if (!valued.contains(option)) {
          String known =
              Stream.of(valued, plain)
                  .flatMap(options -> options.stream().sorted())
                  .collect(Collectors.joining(", "));
          throw new IllegalArgumentException(
              "args '"
                  + argument
                  + "' is not accepted for "
                  + agent
                  + "; it may have "
                  + (known.isEmpty() ? "none" : known));
        }
        String value = parts.length > 1 ? parts[1] : rest.hasNext() ? rest.next() : "-";
        if (value.startsWith("-")) {
          throw new IllegalArgumentException("args: a value must follow '" + option + "'");
        }
        if (!values.test(option, value)) {
          throw new IllegalArgumentException(
              "args '" + option + " " + value + "' is not accepted; it may set " + accepted);
        }
      }
    }
  }
}
