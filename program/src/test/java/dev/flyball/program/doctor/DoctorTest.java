package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Keys;
import dev.flyball.program.config.ModelApi;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.Scout;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What doctor says of the machine, of its places, of open transactions, of agents, over programs of
 * this test's own, and of sources and how the polls of their trackers go (S0-33).
 */
final class DoctorTest {
  private static final long GIB = 1L << 30;

  @Test
  void slotsThatDoNotFitAreDegraded() {
    assertThat(Doctor.sessions(8 * GIB, SessionLimits.DEFAULT, 4))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.state()).isEqualTo(Finding.State.DEGRADED);
          assertThat(finding.fix()).contains("sessions.slots", "sessions.memory", "17408 MB");
        });
    assertThat(Doctor.sessions(17 * GIB, SessionLimits.DEFAULT, 4))
        .extracting(Finding::state)
        .containsExactly(Finding.State.OK);
  }

  @Test
  void withoutALimitThereIsNothingToSay() {
    assertThat(Doctor.sessions(Long.MAX_VALUE, SessionLimits.DEFAULT, 4)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ops/helm/flyball/values.yaml, '(?s)\\nrunner:.*?memory: 1Gi.*?memory: (\\d+)Gi'",
    "docker-compose.yml,           '(?s)session-runner:.*?mem_limit: (\\d+)g'",
  })
  @DisplayName("the containers as delivered leave each session at least 1 GiB")
  void theDeliveredContainersFit(String file, String pattern) throws Exception {
    Matcher limit = Pattern.compile(pattern).matcher(Files.readString(Path.of("..", file)));
    assertThat(limit.find()).isTrue();
    long container = Long.parseLong(limit.group(1)) * GIB;
    int slots = RunnerConfig.Slots.DEFAULT.count();

    long memory = SessionLimits.memoryIn(container, slots);

    assertThat(memory).isGreaterThanOrEqualTo(GIB);
    assertThat(SessionLimits.DEFAULT.withMemory(memory).containerBytes(slots))
        .isLessThanOrEqualTo(container);
  }

  @Test
  @DisplayName("in a container the memory that its limit leaves counts, as for the gate")
  void theMemoryIsThatOfTheContainer(@TempDir Path proc) throws Exception {
    Files.writeString(proc.resolve("meminfo"), "MemAvailable: 16384000 kB\n");
    Files.writeString(proc.resolve("memory.max"), Long.toString(GIB));
    Files.writeString(proc.resolve("memory.current"), Long.toString(GIB - (300 << 20)));
    Files.writeString(proc.resolve("memory.stat"), "inactive_file 0\n");

    Finding found = Doctor.memory(new MachineReadings(proc).now(), 512L << 20);

    assertThat(found.found()).isEqualTo("300 MB available");
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
  }

  private static final Path DATA = Path.of("data");

  @Test
  void aDiskOnWhichTheBrokerDoesNotStartIsUnhealthy() {
    assertThat(Doctor.space(DATA, BrokerConfig.MIN_FREE_BYTES - 1).state())
        .isEqualTo(Finding.State.UNHEALTHY);
    assertThat(Doctor.space(DATA, BrokerConfig.MIN_FREE_BYTES).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(Doctor.space(DATA, 1L << 30).state()).isEqualTo(Finding.State.OK);
  }

  @Test
  void aPortOfAnotherProgramIsNamedWithItsKeyAndThatOfOurOwnServiceIsNot(@TempDir Path data)
      throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Configuration configuration =
          new Configuration(Map.of())
              .with(Keys.DATA, data.toString(), "test")
              .with(Keys.CONSOLE_LISTEN, "127.0.0.1:" + taken.getLocalPort(), "test")
              .with(Keys.BROKER_LISTEN, "127.0.0.1:0", "test");

      assertThat(Doctor.ports(configuration))
          .extracting(Finding::check, Finding::state)
          .containsExactly(tuple("console.listen", Finding.State.DEGRADED));
      Files.writeString(Files.createDirectory(data.resolve("console")).resolve("address"), "here");
      assertThat(Doctor.ports(configuration)).isEmpty();
    }
  }

  private static final TopicPartition ITEMS = new TopicPartition("flyball.work-items", 2);
  private static final TopicPartition POLLS = new TopicPartition("flyball.poll-state", 0);

  @Test
  @DisplayName("a transaction that ended and one after it are two: no command waits for either")
  void oneThatMovedIsNotOpen() {
    assertThat(KafkaCheck.stillOpen(Map.of(ITEMS, 4L, POLLS, 7L), Map.of(ITEMS, 9L))).isEmpty();
  }

  @Test
  @DisplayName("one at the same offset as before is the same")
  void oneThatStandsStillIsOpen() {
    assertThat(KafkaCheck.stillOpen(Map.of(ITEMS, 4L), Map.of(ITEMS, 4L, POLLS, 7L)))
        .isEqualTo(Map.of(ITEMS, 4L));
  }

  @Test
  @DisplayName("several are named by the first one and counted")
  void severalAreCounted() {
    assertThat(KafkaCheck.transactions(Map.of(ITEMS, 4L, POLLS, 7L)).found())
        .startsWith(
            "open for more than 5 s in flyball.poll-state-0 since offset 7 and in 1 more: ");
  }

  private static final AgentProgram CLAUDE = new Claude(null);

  @TempDir Path folder;

  @Test
  void theConfiguredAgentIsFoundWithItsVersionOrReportedWithTheFix() throws IOException {
    assertThat(all(CLAUDE).getFirst())
        .returns(Finding.State.UNHEALTHY, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("npm install -g @anthropic-ai/claude-code"));

    program("claude", "echo broken; exit 1");
    assertThat(all(CLAUDE).getFirst())
        .returns(Finding.State.DEGRADED, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("/claude --version"));

    program("claude", "echo '9.9 (Claude Code)'; echo more");
    assertThat(all(CLAUDE))
        .startsWith(Finding.ok("agent", "claude: 9.9 (Claude Code), " + folder.resolve("claude")));
  }

  @Test
  void theClassifiersProgramIsCheckedWithItsModel() throws IOException {
    var haiku =
        new ConfiguredClassifier.ByAgent(
            AgentProfile.usual(new Claude("haiku")), Duration.ofMinutes(1), 0);
    assertThat(AgentCheck.classifier(haiku, path()))
        .satisfies(it -> assertThat(it.check()).isEqualTo("classifier"))
        .satisfies(it -> assertThat(it.state()).isEqualTo(Finding.State.UNHEALTHY))
        .satisfies(it -> assertThat(it.fix()).contains("triage.agent"));
    assertThat(AgentCheck.missing(haiku, path())).isPresent();

    program("claude", "echo '9.9 (Claude Code)'");
    assertThat(AgentCheck.classifier(haiku, path()).found()).contains("9.9", "model haiku");
    assertThat(AgentCheck.missing(haiku, path())).isEmpty();
  }

  @Test
  void theTokenOfAnEndpointIsMissedBeforeTheStart() {
    var endpoint =
        new ConfiguredClassifier.ByMessages(
            ModelApi.CHAT,
            URI.create("https://gpu.example"),
            "small",
            new Credential.Environment("MODEL_TOKEN"),
            Duration.ofMinutes(1),
            null,
            0);
    assertThat(AgentCheck.missing(endpoint, Map.of()))
        .hasValueSatisfying(it -> assertThat(it).contains("MODEL_TOKEN"));
    assertThat(AgentCheck.classifier(endpoint, Map.of()))
        .returns(Finding.State.UNHEALTHY, Finding::state)
        .satisfies(it -> assertThat(it.fix()).contains("MODEL_TOKEN"));

    assertThat(AgentCheck.missing(endpoint, Map.of("MODEL_TOKEN", "t"))).isEmpty();
    assertThat(AgentCheck.classifier(endpoint, Map.of("MODEL_TOKEN", "t")))
        .isEqualTo(Finding.ok("classifier", "model small at https://gpu.example"));
  }

  @Test
  void agentsThatAreNotConfiguredMayBeMissing() throws IOException {
    program("codex", "echo codex-cli 1.0");

    assertThat(all(new Scout()))
        .extracting(Finding::check, Finding::state)
        .containsExactly(
            tuple("agent", Finding.State.OK),
            tuple("agent codex", Finding.State.OK),
            tuple("other agents", Finding.State.ABSENT));
    assertThat(all(new Scout()))
        .extracting(Finding::found)
        .anyMatch(it -> it.startsWith("codex: codex-cli 1.0, "))
        .contains("not on PATH: claude, gemini, qwen, copilot");
  }

  @Test
  void aMissingProgramIsReportedBeforeTheStartWithTheFix() throws IOException {
    program("mine", "echo hi");
    Path plain = Files.writeString(folder.resolve("plain"), "no program");

    assertThat(missing(CLAUDE)).hasValueSatisfying(it -> assertThat(it).contains("npm install"));
    assertThat(missing(new Command("mime")))
        .contains("mime is not there; correct sessions.agent, or install it");
    assertThat(missing(new Command("mine"))).isEmpty();
    assertThat(missing(new Command(folder.resolve("mine").toString()))).isEmpty();
    assertThat(missing(new Scout())).isEmpty();
    assertThat(missing(new Command(plain.toString())))
        .hasValueSatisfying(it -> assertThat(it).endsWith("; chmod +x " + plain));
  }

  @Test
  void everyProfileIsChecked() {
    var deep =
        new AgentProfile(
            "deep", CLAUDE, List.of(), List.of(), List.of(), null, null, AgentProfile.Bounds.USUAL);

    List<Finding> found =
        AgentCheck.all(List.of(AgentProfile.usual(new Scout()), deep), path()).toList();

    assertThat(found)
        .extracting(Finding::check, Finding::state)
        .startsWith(
            tuple("agent", Finding.State.OK), tuple("profile deep", Finding.State.UNHEALTHY))
        .doesNotContain(tuple("agent claude", Finding.State.ABSENT));
  }

  private Optional<String> missing(AgentProgram agent) {
    return AgentCheck.missing(AgentProfile.usual(agent), path());
  }

  private Map<String, String> path() {
    return Map.of("PATH", folder.toString());
  }

  private List<Finding> all(AgentProgram configured) {
    return AgentCheck.all(List.of(AgentProfile.usual(configured)), path()).toList();
  }

  private void program(String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    file.toFile().setExecutable(true);
  }

  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final SourceConfig.Identity SHOP =
      new SourceConfig.Identity("acme", "shop", SourceConfig.DEFAULT_INTERVAL);

  @Test
  void aTokensPlaceIsShownAndNeverItsValue() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "hunter2\n");

    assertThat(one(redmine(new Credential.Environment("KEY")), Map.of("KEY", "hunter2")))
        .isEqualTo(
            Finding.ok(
                "source acme/shop",
                "redmine, https://redmine.example, token from the environment variable KEY"));
    assertThat(one(redmine(new Credential.InFile(file)), Map.of()))
        .isEqualTo(
            Finding.ok("source acme/shop", "redmine, https://redmine.example, token from " + file));
  }

  @Test
  void aMissingTokenIsReportedWithTheFix() {
    Finding unset = one(redmine(new Credential.Environment("KEY")), Map.of("KEY", " "));
    Finding missing = one(redmine(new Credential.InFile(folder.resolve("none"))), Map.of());

    assertThat(unset.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(unset.found()).contains("environment variable KEY", "not set");
    assertThat(missing.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(missing.found()).contains(folder + "/none");
    assertThat(unset.fix()).contains("export KEY");
    assertThat(missing.fix()).contains("token-file");
  }

  @Test
  void aServiceSaysAtItsStartWhichSourcesLackSomethingAndThatThereIsNone() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");
    SourceConfig well = jsonl(file);

    assertThat(SourceCheck.warnings(List.of(well), Map.of())).isEmpty();
    assertThat(
            SourceCheck.warnings(
                List.of(well, redmine(new Credential.Environment("KEY"))), Map.of("OTHER", "x")))
        .singleElement()
        .asString()
        .isEqualTo(
            "source acme/shop: redmine, https://redmine.example: the environment variable KEY with"
                + " the token is not set; set it and start Flyball again; export KEY in the shell"
                + " or service file that starts the producer, or name a file with token-file");
    assertThat(SourceCheck.warnings(List.of(jsonl(folder.resolve("none"))), Map.of()))
        .singleElement()
        .asString()
        .endsWith("none is not there; put it there, or correct its path");
    assertThat(SourceCheck.warnings(List.of(), Map.of()))
        .singleElement()
        .asString()
        .contains("`./flyball init`");
  }

  @Test
  void gitHubWithoutATokenWorksButNotForLong() {
    Finding nobody =
        one(
            new SourceConfig.GitHub(
                SHOP,
                SourceRules.DEFAULT,
                URI.create("https://api.github.com"),
                "org/repo",
                new Credential.None()),
            Map.of());

    assertThat(nobody.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(nobody.found()).contains(" 60 ");
    assertThat(nobody.fix()).contains("token-env");
  }

  @Test
  void aFileAndAFolderOfItemsAreThereOrNot() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");

    assertThat(one(jsonl(file), Map.of()).state()).isEqualTo(Finding.State.OK);
    assertThat(one(jsonl(folder), Map.of()).state()).isEqualTo(Finding.State.OK);
    assertThat(one(jsonl(folder.resolve("none")), Map.of()).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(one(jsonl(Path.of("/dev/null")), Map.of()).found())
        .isEqualTo("jsonl, /dev/null is neither a file nor a folder");
  }

  @Test
  void aWebhookIsASeparateFindingThatHidesItsAddress() throws IOException {
    Path file = Files.writeString(folder.resolve("items.jsonl"), "");
    var webhook =
        new WriteBack.Webhook(
            URI.create("https://hooks.example/services/hunter2"),
            new Credential.Environment("HOOK"),
            new Credential.None());

    List<Finding> all =
        SourceCheck.all(List.of(jsonl(file, webhook)), Map.of("HOOK", "x")).toList();

    assertThat(all.getLast())
        .isEqualTo(
            Finding.ok(
                "write-back acme/shop",
                "webhook to hooks.example, token from the environment variable HOOK"));
  }

  private static Finding one(SourceConfig source, Map<String, String> environment) {
    return SourceCheck.all(List.of(source), environment).findFirst().orElseThrow();
  }

  private static SourceConfig redmine(Credential token) {
    return new SourceConfig.Redmine(
        SHOP, SourceRules.DEFAULT, URI.create("https://redmine.example"), null, "", token);
  }

  private static SourceConfig jsonl(Path path) {
    return jsonl(path, new WriteBack.Off());
  }

  private static SourceConfig jsonl(Path path, WriteBack writeBack) {
    SourceRules rules = SourceRules.DEFAULT;
    return new SourceConfig.Jsonl(
        SHOP,
        new SourceRules(
            rules.fingerprintFields(),
            rules.closedStates(),
            false,
            rules.revisit(),
            writeBack,
            OptIn.ALL),
        path);
  }

  private final List<String> asked = new ArrayList<>();
  private Optional<TrackerFailure> answer = Optional.empty();

  @Test
  void aTrackerThatAnswersIsReportedAndOneThatWasNeverPolledIsNoFault() {
    assertThat(found(state(null)))
        .isEqualTo(Finding.ok("polls acme/shop", "last poll 1m 48s ago; answers"));
    assertThat(found(null)).isEqualTo(Finding.ok("polls acme/shop", "never polled; answers"));
  }

  @Test
  void anOpenBreakerIsReportedWithItsRemainingTimeAndTheFix() {
    var trouble = new Trouble("auth", "401: the token expired", 3, 0, NOW.plusSeconds(192));

    Finding found = found(state(trouble));
    assertThat(found.check()).isEqualTo("polls acme/shop");
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", ", auth, ", " 3 failures ", " 3m 12s", trouble.reason());
    assertThat(found.fix()).contains(" token ");
    assertThat(asked).as("it is paused").isEmpty();
  }

  @Test
  void anOpenBreakerWhoseTimeIsUpIsTriedWithTheNextPoll() {
    var trouble = new Trouble("unreachable", "503", 4, 0, NOW.minusSeconds(1));

    assertThat(found(state(trouble)).found()).isEqualTo("last poll 1m 48s ago; answers");
    assertThat(asked).containsExactly("c");
  }

  @Test
  void aTrackerThatDoesNotAnswerIsReportedWithTheFix() {
    answer =
        Optional.of(
            TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "ado.test does not answer"));

    Finding found = found(state(null));
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
    assertThat(found.found())
        .contains(" 1m 48s ago", " unreachable: ", answer.orElseThrow().reason());
    assertThat(found.fix()).isNotBlank().doesNotContain("token");
  }

  @Test
  void aTokenThatDoctorLacksIsNotSaidToBeWaitedFor() {
    answer = Optional.of(TrackerFailure.of(TrackerFailure.Category.AUTH, "KEY is not set"));

    Finding waiting = found(state(new Trouble("auth", "401", 3, 0, NOW.plusSeconds(192))));
    assertThat(found(state(null)).fix()).contains("doctor").isNotEqualTo(waiting.fix());
  }

  @Test
  void aPauseThatTheTrackerAskedForNeedsNoAction() {
    var trouble = new Trouble("rate limited", "wait", 0, 1, NOW.plusSeconds(30));

    assertThat(found(state(trouble)).state()).isEqualTo(Finding.State.OK);
    assertThat(found(state(trouble)).found()).contains("paused by its tracker for another 30s");
  }

  private static PollState state(@Nullable Trouble trouble) {
    return new PollState("producer-1", 1, 1, "c", NOW.minusSeconds(108), trouble, null, null);
  }

  private Finding found(@Nullable PollState state) {
    var check =
        new SourceCheck(
            Breaker.Limits.DEFAULT,
            NOW,
            (source, cursor) -> {
              asked.add(String.valueOf(cursor));
              return answer;
            });
    return check.poll(redmine(new Credential.None()), state);
  }
}
