package dev.flyball.program.config;

import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Scout;
import dev.flyball.tracker.Credential;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What judges batches of changed items, as configured ({@code triage.classifier}). */
public sealed interface ConfiguredClassifier {
  /** What a paid call without a limit reserves, in micro-dollars: {@code triage.budget.usd}. */
  long UNLIMITED_MICROS = 100_000;

  /** Whether a call may cost money. */
  default boolean paid() {
    return switch (this) {
      case Rules rules -> false;
      case ByAgent by -> by.profile().paid();
      case ByMessages by -> {
        TokenPrices prices = by.prices();
        yield prices == null || !prices.free();
      }
    };
  }

  /**
   * What a call of unknown cost is booked with, and what must be left of a budget before a call, in
   * micro-dollars: {@code triage.budget.usd}, or {@link #UNLIMITED_MICROS} where it sets no limit,
   * because otherwise no budget of a day would ever notice such calls. 0 if none costs money.
   */
  default long reserveMicros() {
    return !paid() ? 0 : budgetMicros() == 0 ? UNLIMITED_MICROS : budgetMicros();
  }

  /** {@code triage.budget.usd}, the most micro-dollars of one call; 0 for no limit. */
  default long budgetMicros() {
    return 0;
  }

  /** What judges, for a person. */
  default String name() {
    return switch (this) {
      case Rules rules -> "rules";
      case ByAgent by -> by.agent().name();
      case ByMessages by -> by.model();
    };
  }

  /** The bundled rules. */
  record Rules() implements ConfiguredClassifier {}

  /**
   * An agent program without tools.
   *
   * @param profile the program with its model and arguments; never scout
   * @param limit the longest that a call may take
   * @param budgetMicros most micro-dollars of one call, 0 for no limit
   */
  record ByAgent(AgentProfile profile, Duration limit, long budgetMicros)
      implements ConfiguredClassifier {
    /** The program with its model. */
    public AgentProgram agent() {
      return profile.agent();
    }
  }

  /**
   * A model behind an endpoint.
   *
   * @param url its root, of which {@link ModelApi#endpoint} makes the address
   * @param token read again for each call
   * @param limit the longest that a call may take
   * @param prices what its tokens cost; null if unknown
   * @param budgetMicros what a call is booked with if its cost is unknown, 0 for the default
   */
  record ByMessages(
      ModelApi api,
      URI url,
      String model,
      Credential token,
      Duration limit,
      @Nullable TokenPrices prices,
      long budgetMicros)
      implements ConfiguredClassifier {}

  /**
   * The classifier of a configuration: as configured, else the program of the sessions with its
   * cheapest model where they cost money, else the rules.
   *
   * @param profiles the configured agents; that of requests which no route sends elsewhere first
   * @throws ConfigurationError if the keys of {@code triage} do not fit each other
   */
  static ConfiguredClassifier of(Configuration configuration, List<AgentProfile> profiles) {
    String usual = profiles.getFirst().paid() ? "agent" : "rules";
    return switch (configuration.find(Keys.CLASSIFIER).orElse(usual)) {
      case "agent" -> agent(configuration, profiles);
      case "messages" -> messages(configuration);
      default -> new Rules();
    };
  }

  private static ByAgent agent(Configuration configuration, List<AgentProfile> profiles) {
    Optional<String> name = configuration.find(Keys.TRIAGE_AGENT);
    AgentProfile usual =
        profiles.stream()
            .filter(each -> name.isPresent() && each.name().equals(name.get()))
            .findFirst()
            .orElseGet(() -> cheapest(configuration, name, profiles.getFirst().agent()));
    if (usual.agent() instanceof Scout) {
      throw configuration.error(
          configuration.isSet(Keys.CLASSIFIER) ? Keys.CLASSIFIER : Keys.TRIAGE_AGENT,
          "triage.classifier agent needs an agent that asks a model, and scout asks none; set"
              + " triage.agent, or triage.classifier to rules");
    }
    return new ByAgent(
        configuration.find(Keys.TRIAGE_MODEL).map(usual::withModel).orElse(usual),
        configuration.get(Keys.TRIAGE_TIMEOUT),
        configuration.get(Keys.TRIAGE_BUDGET));
  }

  /** The agent of this name, else that of the sessions, with its cheapest model. */
  private static AgentProfile cheapest(
      Configuration configuration, Optional<String> name, AgentProgram sessions) {
    try {
      AgentProgram agent = name.map(AgentProgram::parse).orElse(sessions);
      return AgentProfile.usual(agent.withModel(agent.facts().triageModel()));
    } catch (IllegalArgumentException _) {
      throw configuration.error(
          Keys.TRIAGE_AGENT,
          "triage.agent '"
              + name.orElse("")
              + "' is no profile of agents and no agent; use a profile's name, "
              + AgentProgram.known());
    }
  }

  private static ByMessages messages(Configuration configuration) {
    ModelApi api = configuration.get(Keys.TRIAGE_API);
    Optional<URI> url =
        configuration.find(Keys.TRIAGE_URL).map(it -> URI.create(it.replaceAll("/+$", "")));
    Credential token = configuration.credential(Keys.TRIAGE_TOKEN);
    if (url.isEmpty() && token instanceof Credential.None) {
      token = new Credential.Environment(api.variable());
    }
    String model =
        configuration
            .find(Keys.TRIAGE_MODEL)
            .orElseThrow(() ->
                configuration.error(
                    Keys.CLASSIFIER,
                    "triage.classifier messages needs a model; set triage.model to one that the"
                        + " endpoint serves"));
    if (!(token instanceof Credential.None)
        && !url.map(it -> new HookAddress(it).isSafe()).orElse(true)) {
      throw configuration.error(
          Keys.TRIAGE_URL,
          "triage.url "
              + url.get()
              + " is not https, so its token could be read on its way; use https, or remove the"
              + " token");
    }
    return new ByMessages(
        api,
        url.orElse(api.vendor()),
        model,
        token,
        configuration.get(Keys.TRIAGE_TIMEOUT),
        prices(configuration),
        configuration.get(Keys.TRIAGE_BUDGET));
  }

  private static @Nullable TokenPrices prices(Configuration configuration) {
    Optional<Long> input = configuration.find(Keys.TRIAGE_INPUT_PRICE);
    Optional<Long> output = configuration.find(Keys.TRIAGE_OUTPUT_PRICE);
    if (input.isPresent() != output.isPresent()) {
      throw configuration.error(
          input.isPresent() ? Keys.TRIAGE_INPUT_PRICE : Keys.TRIAGE_OUTPUT_PRICE,
          "triage.prices.input and triage.prices.output need each other; set both, or none");
    }
    return input.isEmpty() ? null : new TokenPrices(input.get(), output.orElseThrow(), input.get());
  }
}
