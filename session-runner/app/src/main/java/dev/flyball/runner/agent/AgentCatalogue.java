package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.Dollars;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.prompt.Search;
import dev.flyball.scout.ScoutInput;
import dev.flyball.scout.ScoutMain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The agents that Flyball runs. The repositories that they read are foreign: nothing in their files
 * may start a program, and no flag ever bypasses a permission.
 */
public final class AgentCatalogue {
  /** What claude may use unless a profile or {@code sessions.search} says otherwise. */
  static final List<String> READ_ONLY = Search.BOUNDED.tools();

  private static final Agent.Input PROMPT = DeepTemplate.BUNDLED;

  /** What a program needs to reach its provider through a proxy. */
  private static final List<String> NETWORK =
      List.of(
          "HTTPS_PROXY",
          "HTTP_PROXY",
          "NO_PROXY",
          "https_proxy",
          "http_proxy",
          "no_proxy",
          "NODE_EXTRA_CA_CERTS",
          "SSL_CERT_FILE");

  private AgentCatalogue() {}

  /**
   * Returns the agent of a profile.
   *
   * @param excluded folders that scout never opens, for example the data folder
   * @param budgetMicros most micro-dollars of one session, 0 for no limit
   */
  public static Agent of(AgentProfile profile, List<Path> excluded, long budgetMicros) {
    List<String> tools = profile.tools().isEmpty() ? READ_ONLY : profile.tools();
    Agent agent =
        switch (profile.agent()) {
          case AgentName.Scout scout -> scout(excluded);
          case AgentName.Command command -> command(command.program());
          case AgentName.Claude claude -> claude("claude", claude.model(), budgetMicros, tools);
          case AgentName.Codex codex -> codex(codex.model());
          case AgentName.Gemini gemini -> gemini(gemini.model());
        };
    Agent extended = agent.withArguments(profile.arguments());
    return profile.prices() == null ? extended : extended.priced(profile.prices());
  }

  /**
   * The bundled agent, as a separate process: it must be as killable and as bounded as any other.
   * It runs on this JVM's Java with the few jars that it needs. It reads the work item instead of a
   * prompt, because it ranks words and takes no instructions.
   */
  static Agent scout(List<Path> excluded) {
    return new Agent(
        "scout",
        ScoutMain.command(excluded),
        List.of(),
        Map.of(),
        (item, request, codebase) -> scoutInput(item, request),
        _ -> new CommandReader(),
        Set.of());
  }

  /**
   * Any program of the operator. Its working directory is the repository, and the prompt comes on
   * standard input.
   */
  public static Agent command(String program) {
    return new Agent(
        "command",
        List.of(program),
        List.of(),
        Map.of(),
        PROMPT,
        _ -> new CommandReader(),
        Set.of(Trait.IDENTIFIED_AT_SPAWN));
  }

  /** Claude Code as {@code claude -p}. */
  static Agent claude(
      String program, @Nullable String model, long budgetMicros, List<String> tools) {
    var command = new ArrayList<String>();
    command.addAll(List.of(program, "-p", "--output-format", "stream-json", "--verbose"));
    command.addAll(List.of("--session-id", Agent.SESSION));
    // What is not allowed is denied, because no user is there to answer a question.
    command.addAll(List.of("--permission-mode", "dontAsk"));
    String named = String.join(",", tools);
    command.addAll(List.of("--tools", named, "--allowedTools", named));
    // The repository's hooks, permissions, environment and CLAUDE.md stay unread, and only MCP
    // servers named here (none) start. --bare would do too, but it rejects a subscription's login.
    command.addAll(List.of("--setting-sources", "", "--strict-mcp-config"));
    command.addAll(List.of("--json-schema", AnswerSchema.JSON));
    command.addAll(model(model));
    if (budgetMicros > 0) {
      command.addAll(List.of("--max-budget-usd", Dollars.exact(budgetMicros)));
    }
    return new Agent(
        "claude",
        command,
        env(
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR"),
        Map.of(
            // Three retries are enough: triage-stream has the better back-off.
            "CLAUDE_CODE_MAX_RETRIES", "3",
            "CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS", "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
            "DISABLE_AUTOUPDATER", "1"),
        PROMPT,
        _ -> new StreamJsonReader(),
        // TERM leaves the turn unfinished and prints no result. INT prints one, with the spend,
        // but for about 3 of 100 times (2.1.329); those are booked with their whole reserve.
        Set.of(Trait.PAID, Trait.ENDS_TURN_ON_INTERRUPT, Trait.RESUMES));
  }

  /**
   * Codex as {@code codex exec}. It reports tokens but no cost, so a session is booked with its
   * whole reserve.
   */
  static Agent codex(@Nullable String model) {
    var command = new ArrayList<String>();
    command.addAll(List.of("codex", "exec", "--json", "--sandbox", "read-only"));
    command.add("--skip-git-repo-check");
    // Hooks, rules and MCP servers of a repository apply only where the user's configuration trusts
    // it. Without that configuration nothing is trusted.
    command.addAll(List.of("--ignore-user-config", "--ignore-rules"));
    command.addAll(model(model));
    command.add("-");
    return new Agent(
        "codex",
        command,
        env("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"),
        Map.of(),
        PROMPT,
        before -> new CodexReader(model, before),
        Set.of(Trait.PAID, Trait.RESUMES));
  }

  /**
   * Gemini CLI without a terminal, which makes it headless. It reports tokens but no cost, so a
   * session is booked with its whole reserve.
   */
  static Agent gemini(@Nullable String model) {
    var command = new ArrayList<String>();
    // In this mode a tool that would ask is denied. In an untrusted workspace it exits with 55. The
    // user decides whether to trust a workspace, so no flag here does.
    command.addAll(List.of("gemini", "-o", "stream-json", "--approval-mode", "default"));
    // Names that do not exist: no MCP server of the repository and no extension starts.
    command.addAll(List.of("--allowed-mcp-server-names", "none", "--extensions", "none"));
    command.addAll(model(model));
    return new Agent(
        "gemini",
        command,
        env(
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_APPLICATION_CREDENTIALS"),
        Map.of(),
        PROMPT,
        _ -> new GeminiReader(),
        Set.of(Trait.PAID));
  }

  private static String scoutInput(ItemKey item, SessionRequest request) {
    Snapshot snapshot = request.snapshot();
    return RecordJson.write(
        new ScoutInput(
            item.toString(),
            snapshot.title(),
            snapshot.text(),
            snapshot.tags(),
            request.verdict().modules()));
  }

  static List<String> model(@Nullable String model) {
    return model == null ? List.of() : List.of("--model", model);
  }

  private static List<String> env(String... own) {
    return Stream.concat(Stream.of(own), NETWORK.stream()).toList();
  }
}
