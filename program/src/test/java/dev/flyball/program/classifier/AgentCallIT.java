package dev.flyball.program.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.config.ConfiguredClassifier.ByAgent;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.Command;
import dev.flyball.testkit.ProcSampler;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import dev.flyball.triage.classify.ModelCall.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@DisplayName("A call of an agent program")
class AgentCallIT {
  private static final String SCHEMA = "{\"type\":\"object\"}";

  @TempDir static Path folder;

  /** Calls of an agent whose fault each prompt names, with much time and with little. */
  @AutoClose private static AgentCall patient;

  @AutoClose private static AgentCall hasty;
  private static int opened;

  @BeforeAll
  static void open() {
    AgentProfile agent = usual(Path.of("../examples/fault-agent").toAbsolutePath().normalize());
    patient = opened(agent, Map.of(), Duration.ofSeconds(30));
    hasty = opened(agent, Map.of(), Duration.ofSeconds(1));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"none", "text", "garbage", "daemon", "open-pipe", "huge-line", "no-exit"})
  @DisplayName("an answer is read however the program behaves beside it, and nothing of it is left")
  void answers(String fault) throws Exception {
    Reply reply = patient.ask("fault: " + fault, SCHEMA);

    assertThat(reply.text()).isEqualTo("the answer");
    assertThat(reply.costMicros()).isZero();
    assertNothingLeft();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no-init     | SLOW        | no answer within 1 s
          deaf        | SLOW        | no answer within 1 s
          brood       | SLOW        | no answer within 1 s
          runaway     | SLOW        | no answer within 1 s
          no-output   | UNCLEAR     | no output
          exit        | UNCLEAR     | exit 7
          killed      | UNCLEAR     | killed by signal 9
          cut         | UNCLEAR     | no output: no result line
          limit       | UNAVAILABLE | provider limit
          turns       | UNCLEAR     | error_max_turns
          nonsense    | UNCLEAR     | no such fault
          flood       | BAD_BATCH   | more output than 16 MiB
          """)
  @DisplayName("every fault ends in bounded time with its kind and reason, and nothing is left")
  void fails(String fault, Kind kind, String reason) throws Exception {
    // Those that are not slow end by themselves, on a busy machine too.
    ModelFailure failure = failure(kind == Kind.SLOW ? hasty : patient, "fault: " + fault);

    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessageContaining(reason);
    assertNothingLeft();
  }

  @Test
  void aMissingProgramIsForAnOperator() throws Exception {
    try (AgentCall call = opened(Path.of("/no/such/program"), Map.of())) {
      assertThat(failure(call).kind()).isEqualTo(Kind.REFUSED);
    }
  }

  @Test
  @DisplayName("the program gets the prompt with the schema, an empty folder and the cookie")
  void startsInAnEmptyFolderOfItsOwn() throws Exception {
    Path program =
        script(
            "cat > '"
                + folder
                + "/prompt'; pwd > '"
                + folder
                + "/pwd'; ls -A >> '"
                + folder
                + "/pwd'; echo \"Here: \\`\\`\\`json {\\\"id\\\": \\\"$FLYBALL_SESSION\\\"}"
                + " \\`\\`\\`\"");
    try (AgentCall call = opened(program, Map.of())) {
      Reply reply = call.ask("Judge these.", SCHEMA);

      assertThat(reply.text()).matches("\\{\"id\": \"triage-[0-9a-f-]{36}\"}");
      assertThat(Files.readString(folder.resolve("prompt")))
          .startsWith("Judge these.")
          .contains(SCHEMA);
      String place = Files.readString(folder.resolve("pwd"));
      assertThat(place.lines()).hasSize(1);
      assertThat(Path.of(place.strip())).doesNotExist();
      assertThat(place).doesNotContain(folder.toString());
    }
  }

  @Test
  void aProfilesArgumentsAndVariablesReachTheProgram() throws Exception {
    Path program = script("cat > /dev/null; echo \"$# $2 $OWN_PROVIDER $FAULT\"");
    var profile =
        new AgentProfile(
            "own",
            new Command(program.toString()),
            List.of("--provider", "local"),
            List.of("OWN_PROVIDER"),
            List.of(),
            null,
            null,
            AgentProfile.Bounds.USUAL);
    var environment = Map.of("OWN_PROVIDER", "here", "FAULT", "usual");
    try (AgentCall call = opened(profile, environment)) {
      assertThat(call.ask("Judge.", SCHEMA).text()).isEqualTo("2 local here usual");
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          exit 7                                                                             | 100000
          printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}'; exit 7 | 0
          printf '{"type":"assistant","message":{"content":[]}}\\n{"type":"result","is_error":true,"result":"stream disconnected"}'; exit 1 | 100000
          printf '{"type":"result","is_error":true,"api_error_status":401,"result":"Not logged in","usage":{"input_tokens":0}}'; exit 1 | 0
          """)
  @DisplayName("what a paid program may have spent unseen is its reserve; a declined call is 0")
  void anUnseenCostIsTheReserve(String body, long micros) throws Exception {
    var agent = new Command(script("cat > /dev/null; " + body).toString());
    var prices = new TokenPrices(1_000_000, 1_000_000, 1_000_000);
    var profile =
        new AgentProfile(
            "own", agent, List.of(), List.of(), List.of(), prices, null, AgentProfile.Bounds.USUAL);
    try (AgentCall call = opened(profile, Map.of())) {
      assertThat(failure(call).costMicros()).isEqualTo(micros);
    }
  }

  @ParameterizedTest
  @CsvSource({"Not logged in, REFUSED", "Connection refused (ECONNREFUSED), UNAVAILABLE"})
  @DisplayName("a login that has expired waits for a person, a network for its return")
  void aFaultOfThisMachineIsNoFaultOfTheBatch(String said, Kind kind) throws Exception {
    Path program =
        script(
            "cat > /dev/null; echo '{\"type\":\"result\",\"is_error\":true,\"result\":\""
                + said
                + "\"}'; exit 1");
    try (AgentCall call = opened(program, Map.of())) {
      assertThat(failure(call).kind()).isEqualTo(kind);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_800_000_000_000L, Long.MAX_VALUE})
  @DisplayName("a limit with any time as its end is a failure for later")
  void theEndOfALimitMayBeNonsense(long end) throws Exception {
    Path program =
        script(
            "cat > /dev/null; printf '{\"type\":\"rate_limit_event\",\"rate_limit_info\":"
                + "{\"status\":\"rejected\",\"resetsAt\":"
                + end
                + "}}\\n'; exit 1");
    try (AgentCall call = opened(program, Map.of())) {
      assertThat(failure(call))
          .hasMessageContaining("provider limit")
          .returns(Kind.UNAVAILABLE, ModelFailure::kind)
          .satisfies(it -> assertThat(it.retryAfter() == null).isEqualTo(end == 1));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          echo "bad key $FAULT" >&2; exit 3 ~ exit 3 ~ very-secret-value
          printf '%s%s' "$FAULT" "$(head -c 4086 /dev/zero | tr '\\0' ' ')" >&2; exit 3 ~ '' ~ et-value
          """)
  @DisplayName("a secret in its complaint is taken out, also a half where the kept end begins")
  void aSecretInItsComplaintIsNotPassedOn(String body, String said, String secret)
      throws Exception {
    try (AgentCall call = opened(script(body), Map.of("FAULT", "very-secret-value"))) {
      assertThat(failure(call)).hasMessageContaining(said).hasMessageNotContaining(secret);
    }
  }

  @Test
  @DisplayName("an interrupt ends the call with its processes")
  void anInterruptEndsIt() throws Exception {
    var ended = new CompletableFuture<Throwable>();
    Thread asking =
        Thread.ofPlatform()
            .start(() -> {
              try {
                ended.complete(new AssertionError(patient.ask("fault: brood", SCHEMA)));
              } catch (ModelFailure | InterruptedException e) {
                ended.complete(e);
              }
            });
    await().until(() -> !ProcSampler.sessions(home()).isEmpty());

    asking.interrupt();

    assertThat(ended.get()).isInstanceOf(InterruptedException.class);
    assertNothingLeft();
  }

  @Test
  @DisplayName("a stop of Flyball ends the call with its processes, and starts no other")
  void aStopEndsIt() throws Exception {
    try (AgentCall call = opened(script("sleep 50 & sleep 50"), Map.of())) {
      var ended = CompletableFuture.supplyAsync(() -> failure(call));
      await().until(() -> !ProcSampler.sessions(home()).isEmpty());

      call.cease();

      assertThat(ended.get()).hasMessageContaining("stopped");
      assertThat(failure(call)).hasMessageContaining("stopped");
      assertNothingLeft();
    }
  }

  private static ModelFailure failure(AgentCall call) {
    return failure(call, "Judge.");
  }

  private static ModelFailure failure(AgentCall call, String prompt) {
    return catchThrowableOfType(ModelFailure.class, () -> call.ask(prompt, SCHEMA));
  }

  private static void assertNothingLeft() {
    assertThat(ProcSampler.sessions(home())).isEmpty();
  }

  private static String home() {
    return "HOME=" + folder;
  }

  private static AgentCall opened(Path program, Map<String, String> environment) {
    return opened(usual(program), environment);
  }

  private static AgentCall opened(AgentProfile profile, Map<String, String> environment) {
    return opened(profile, environment, Duration.ofSeconds(30));
  }

  private static AgentCall opened(
      AgentProfile profile, Map<String, String> environment, Duration limit) {
    var all = new HashMap<>(environment);
    all.put("PATH", "/usr/bin:/bin");
    all.put("HOME", folder.toString());
    var call =
        new AgentCall(
            new ByAgent(profile, limit, 0),
            folder.resolve("calls-" + ++opened),
            List.of("FAULT"),
            Confinement.DEFAULT,
            AgentCall.limits(limit, 0),
            all);
    call.open();
    return call;
  }

  private static AgentProfile usual(Path program) {
    return AgentProfile.usual(new Command(program.toString()));
  }

  private static Path script(String body) throws IOException {
    Path program = Files.writeString(folder.resolve("program.sh"), "#!/bin/sh\n" + body + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }
}
