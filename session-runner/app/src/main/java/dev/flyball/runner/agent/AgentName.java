package dev.flyball.runner.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which agent runs, as configured: one of {@link #KNOWN}. */
public sealed interface AgentName {
  /** What may be configured, for help and errors. */
  String KNOWN = "scout, claude, codex, gemini or command:/path/to/program";

  /** The agents that ask a model, as configured. */
  List<String> MODEL_AGENTS = List.of("claude", "codex", "gemini");

  /** Whether its sessions cost money. */
  default boolean paid() {
    return switch (this) {
      case Scout scout -> false;
      case Command command -> false;
      case Claude claude -> true;
      case Codex codex -> true;
      case Gemini gemini -> true;
    };
  }

  /**
   * The provider whose rate limits its sessions share: the scope that a rejected call pauses. With
   * the family of its model where the provider limits families apart. Null for an agent that calls
   * no provider.
   */
  default @Nullable String provider() {
    return switch (this) {
      case Scout scout -> null;
      case Command command -> null;
      case Claude claude -> claude.limitedAs();
      case Codex codex -> "openai";
      case Gemini gemini -> "google";
    };
  }

  /**
   * The model of its sessions unless one is configured: of medium price, so that no session runs on
   * the dearest model only because a program or an account defaults to it. Null for an agent
   * without a model.
   */
  default @Nullable String sessionModel() {
    return switch (this) {
      case Scout scout -> null;
      case Command command -> null;
      // Claude and Gemini keep these names for the newest model of that size.
      case Claude claude -> "sonnet";
      case Gemini gemini -> "flash";
      // Codex has no such names. An account without this model needs sessions.model.
      case Codex codex -> "gpt-5.4";
    };
  }

  /**
   * The cheapest model that judges a batch of items well enough, for triage unless one is
   * configured. Null for an agent without a model.
   */
  default @Nullable String triageModel() {
    return switch (this) {
      case Scout scout -> null;
      case Command command -> null;
      case Claude claude -> "haiku";
      case Gemini gemini -> "flash-lite";
      case Codex codex -> "gpt-5.4-mini";
    };
  }

  /** The model that is configured; null for the program's choice, or for an agent without one. */
  default @Nullable String model() {
    return null;
  }

  /** This agent with a model; an agent that has none stays as it is. */
  default AgentName withModel(@Nullable String model) {
    return switch (this) {
      case Scout scout -> scout;
      case Command command -> command;
      case Claude claude -> new Claude(model);
      case Codex codex -> new Codex(model);
      case Gemini gemini -> new Gemini(model);
    };
  }

  /** The bundled agent that needs no model. */
  record Scout() implements AgentName {
    @Override
    public String toString() {
      return "scout";
    }
  }

  /**
   * Any program; it reads the prompt on standard input and answers on standard output.
   *
   * @param program path of the program, or a name on PATH
   */
  record Command(String program) implements AgentName {
    public Command {
      if (program.isBlank()) {
        throw new IllegalArgumentException(
            "sessions.agent 'command:' names no program; write command:/path/to/program");
      }
    }

    @Override
    public String toString() {
      return "command:" + program;
    }
  }

  /**
   * Claude Code.
   *
   * @param model the value for {@code --model}; null for the program's choice
   */
  record Claude(@Nullable String model) implements AgentName {
    /** The families that have separate weekly limits, as its {@code rate_limit_event} names. */
    private static final List<String> FAMILIES = List.of("opus", "sonnet");

    private String limitedAs() {
      return FAMILIES.stream()
          .filter(family -> model != null && model.contains(family))
          .findFirst()
          .map(family -> "anthropic/" + family)
          .orElse("anthropic");
    }

    @Override
    public String toString() {
      return "claude";
    }
  }

  /** Codex; the model is the value for {@code --model}, null for the program's choice. */
  record Codex(@Nullable String model) implements AgentName {
    @Override
    public String toString() {
      return "codex";
    }
  }

  /** Gemini CLI; the model is the value for {@code --model}, null for the program's choice. */
  record Gemini(@Nullable String model) implements AgentName {
    @Override
    public String toString() {
      return "gemini";
    }
  }

  /**
   * Reads a configured name.
   *
   * @throws IllegalArgumentException if there is no such adapter; the message lists the known ones
   */
  static AgentName parse(String text) {
    return switch (text) {
      case "scout" -> new Scout();
      case "claude" -> new Claude(null);
      case "codex" -> new Codex(null);
      case "gemini" -> new Gemini(null);
      case String command when command.startsWith("command:") ->
          new Command(command.substring("command:".length()));
      default ->
          throw new IllegalArgumentException(
              "sessions.agent '" + text + "' is unknown; use " + KNOWN);
    };
  }
}
