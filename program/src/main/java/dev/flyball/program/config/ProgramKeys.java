package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.program.classifier.ModelApi;
import dev.flyball.runner.agent.AgentCatalogue;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that no app's own record has: the program's places, and what it makes of a text. */
record ProgramKeys(
    @ConfigKey(
            name = "tenant",
            initial = SourceConfig.DEFAULT_TENANT,
            matches = "[a-z0-9-]+",
            allowed = "[a-z0-9-]+",
            meaning = "Tenant of sources and items that name none")
        String tenant,
    @ConfigKey(
            name = "data",
            initial = ".flyball",
            meaning =
                "Data folder: Kafka's log, journals, projections, the log file. One"
                    + " process of a role at a time")
        Path data,
    @ConfigKey(
            name = "triage.classifier",
            choices = {"rules", "agent", "messages"},
            meaning =
                "What decides whether an item deserves a session. `rules` needs no model; `agent`"
                    + " asks the program of triage.agent once for a batch, without tools;"
                    + " `messages` asks the endpoint of triage.url once for a batch. Unset:"
                    + " `agent` if sessions cost money, else `rules`")
        @Nullable String classifier,
    @ConfigKey(
            name = "triage.agent",
            matches = "command:.+|[a-z0-9-]{1,32}",
            allowed = "a profile of agents, claude, codex, gemini or command:/path/to/program",
            meaning =
                "What the classifier `agent` asks: a profile, with its model, arguments, variables"
                    + " and prices, or an agent. Unset: the agent of sessions.agent")
        @Nullable String triageAgent,
    @ConfigKey(
            name = "triage.model",
            matches = "[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}",
            allowed = "a model's name",
            meaning =
                "The model that judges batches; the classifier `messages` needs it. Unset: the"
                    + " profile's, or `haiku` for claude, `gpt-5.4-mini` for codex, `flash-lite`"
                    + " for gemini")
        @Nullable String triageModel,
    @ConfigKey(
            name = "triage.api",
            initial = "messages",
            meaning =
                "What the endpoint of `messages` speaks: the Messages API of Anthropic, or Chat"
                    + " Completions of OpenAI (`chat`), as servers of local models do")
        ModelApi triageApi,
    @ConfigKey(
            name = "triage.url",
            matches = "https?://[A-Za-z0-9.:_\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?",
            allowed = "an http or https address without user, query and fragment",
            meaning =
                "Root of the endpoint of `messages`, with or without `/v1`; https where a token is"
                    + " sent to another machine. Unset: the vendor's own, and the token is in"
                    + " ANTHROPIC_API_KEY (`chat`: OPENAI_API_KEY) unless configured")
        @Nullable String triageUrl,
    @ConfigKey(name = "triage.token", meaning = "the token for the endpoint of `messages`")
        Credential triageToken,
    @ConfigKey(
            name = "triage.prices.input",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "What a million input tokens of `messages` cost. Without prices each call is booked"
                    + " with triage.budget.usd. 0 for both prices: the model costs nothing")
        @Nullable Long triageInputPrice,
    @ConfigKey(
            name = "triage.prices.output",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning = "What a million output tokens cost; needed with triage.prices.input")
        @Nullable Long triageOutputPrice,
    @ConfigKey(
            name = "sessions.prompt",
            meaning =
                "File with the template of a session's prompt, instead of the one that comes with"
                    + " Flyball; docs/agents.md explains it")
        @Nullable Path deepPrompt,
    @ConfigKey(
            name = "sessions.search",
            initial = "bounded",
            choices = {"bounded", "none"},
            meaning =
                "How far agents may search the repository. `bounded`: at most 5 searches and 12"
                    + " files; claude has Read, Glob and Grep. `none`: no search, 5 files; claude"
                    + " has no Grep. The prompt asks for it, sessions.processes.kill holds it")
        String search,
    @ConfigKey(
            name = "triage.prompt",
            meaning =
                "File with the template of the question that `agent` and `messages` ask about a"
                    + " batch, instead of the one that comes with Flyball; docs/agents.md explains"
                    + " it")
        @Nullable Path triagePrompt,
    @ConfigKey(
            name = "triage.timeout",
            initial = "2m",
            meaning = "How long one triage call of `agent` or `messages` may take")
        Duration triageTimeout,
    @ConfigKey(
            name = "triage.budget.usd",
            initial = "0.10",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "Most cost of one triage call, of which a batch needs one, and four at most; 0 for"
                    + " no limit. claude stops there; codex, gemini and `messages` know no such"
                    + " limit. A call of unknown cost is booked with it, or with 0.10 where it is"
                    + " 0")
        long triageMicros,
    @ConfigKey(
            name = "sessions.agent",
            initial = "scout",
            matches = AgentCatalogue.PATTERN,
            allowed = AgentCatalogue.KNOWN,
            meaning =
                "What runs for an item. scout is bundled, needs no model and costs" + " nothing")
        String agent,
    @ConfigKey(
            name = "sessions.model",
            matches = ProgramKeys.MODELS,
            allowed = "a model's name",
            meaning =
                "The model that claude, codex or gemini is started with. Unset: `sonnet` for"
                    + " claude, `gpt-5.4` for codex, `flash` for gemini")
        @Nullable String model,
    @ConfigKey(
            name = "sessions.repo",
            initial = ".",
            meaning = "The repository that agents read, a folder or a URL; their working directory")
        RepositoryAddress repository,
    @ConfigKey(
            name = "sessions.repo-token",
            meaning = "the token for the server of `sessions.repo`, where that is a URL")
        Credential repositoryToken,
    @ConfigKey(
            name = "sessions.user",
            matches = "[A-Za-z0-9_.-]{0,64}",
            allowed = "the name of a user of this machine",
            meaning =
                "The user whose processes agents are, for agents that are not trusted: they can"
                    + " neither signal the runner nor read its files. Needs a runner that runs as"
                    + " root; empty for the runner's own user")
        String user,
    @ConfigKey(
            name = "sessions.network",
            choices = {"none", "host"},
            meaning =
                "`none`: agents reach no network, not even this machine's loopback addresses; needs"
                    + " containment level A, else the runner does not start. `host`: agents reach"
                    + " what the runner reaches. Unset: `none` for scout where that works, else"
                    + " `host`")
        @Nullable String network,
    @ConfigKey(
            name = "budget.daily.usd",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "Most spend of a UTC day, all tenants together: a warning at 80 %; at 100 % no"
                    + " session starts and running ones are ended. Unset: 20 for an agent that"
                    + " costs money, no limit for any other. Written to the ledger at its first"
                    + " start only; flyball budget changes it later, also for one tenant")
        @Nullable Long dailyMicros,
    @ConfigKey(
            name = "budget.daily.tokens",
            to = 1_000_000_000_000_000L,
            meaning =
                "As budget.daily.usd, in tokens of every kind; unset: no limit. Written"
                    + " to the ledger at its first start only")
        @Nullable Long dailyTokens,
    @ConfigKey(
            name = "console.listen",
            initial = "127.0.0.1:8321",
            meaning =
                "Where the console answers. An address that other machines reach needs"
                    + " `console.tokens`")
        ListenAddress console,
    @ConfigKey(
            name = "console.hosts",
            meaning =
                "Further names by which browsers and scrapers call the console, for example that"
                    + " of a proxy; requests by other names are denied")
        List<String> consoleHosts,
    @ConfigKey(
            name = "console.tls.key-store",
            meaning =
                "A PKCS #12 or JKS file with the console's certificate and key: it speaks TLS")
        @Nullable Path consoleKeyStore,
    @ConfigKey(name = "console.tls.password", meaning = "the password of the key store")
        Credential consoleTlsPassword,
    @ConfigKey(
            name = "broker.listen",
            initial = "127.0.0.1:9092",
            meaning =
                "Where the embedded Kafka of `up` listens for clients that only read. Flyball's"
                    + " roles and commands write through another port of this machine, with a"
                    + " secret from the data folder")
        ListenAddress broker,
    @ConfigKey(
            name = "broker.wait",
            initial = "5m",
            meaning =
                "How long a service that starts waits for its broker; 0s: one attempt of" + " 10 s")
        Duration brokerWait,
    @ConfigKey(
            name = "broker.data",
            meaning =
                "Data folder of a running `up`: the role or command uses its embedded Kafka. It"
                    + " must be the same user's, on this machine. Unset: commands use their own"
                    + " data folder")
        @Nullable Path brokerData,
    @ConfigKey(
            name = "admin.listen",
            initial = "127.0.0.1:0",
            meaning = "Where a lone role answers /livez /readyz /health /metrics")
        ListenAddress admin,
    @ConfigKey(
            name = "runner.id",
            matches = "[A-Za-z0-9._-]{1,64}",
            allowed = "1 to 64 letters, digits, dots, _ or -",
            meaning = "A runner's label; by default the host's name and a suffix kept in `data`")
        @Nullable String runnerId,
    @ConfigKey(
            name = "topics.prefix",
            initial = "flyball.",
            matches = "[A-Za-z0-9_-][A-Za-z0-9._-]*\\.",
            allowed = "letters, digits, _ - . with a dot at the end",
            meaning = "In front of every topic's name")
        String topicsPrefix,
    @ConfigKey(
            name = "topics.replication",
            initial = "" + KafkaSettings.DEFAULT_REPLICATION,
            from = 1,
            to = 100,
            meaning =
                "On how many brokers each topic is kept; topics are never made with fewer. 1 only"
                    + " for a cluster of one broker, as the embedded one is (there it is 1 always)")
        int replication,
    @ConfigKey(
            name = "log.level",
            initial = "info",
            choices = {"error", "warn", "info", "debug"},
            meaning = "What goes into the log file of the data folder")
        String logLevel,
    @ConfigKey(
            name = "log.format",
            initial = "text",
            choices = {"text", "ecs"},
            meaning =
                "How a line of the log file is written: `text`, or JSON with the fields of the"
                    + " Elastic Common Schema (`ecs`)")
        String logFormat) {
  /** What may name a model. */
  static final String MODELS = "[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}";
}
