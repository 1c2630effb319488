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

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}")
  @CsvSource({"none", "text", "garbage", "daemon", "open-pipe", "huge-line", "no-exit"})
  @DisplayName("an answer is read however the program behaves beside it, and nothing of it is left")
  void answers(String fault) throws Exception {
    try (AgentCall call = faulty(fault, Duration.ofSeconds(30))) {
      Reply reply = call.ask("Judge.", SCHEMA);

      assertThat(reply.text()).isEqualTo("the answer");
      assertThat(reply.costMicros()).isZero();
    }
    assertNothingLeft();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no-init     | SLOW        | no answer within 1 s
          stall       | SLOW        | no answer within 1 s
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
    try (AgentCall call = faulty(fault, Duration.ofSeconds(kind == Kind.SLOW ? 1 : 30))) {
      ModelFailure failure = failure(call);

      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure).hasMessageContaining(reason);
    }
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

  @Test
  @DisplayName("a login that has expired waits for a person, a network for its return")
  void aFaultOfThisMachineIsNoFaultOfTheBatch() throws Exception {
    var failures = new HashMap<String, Kind>();
    for (String said : List.of("Not logged in", "Connection refused (ECONNREFUSED)")) {
      Path program =
          script(
              "cat > /dev/null; echo '{\"type\":\"result\",\"is_error\":true,\"result\":\""
                  + said
                  + "\"}'; exit 1");
      try (AgentCall call = opened(program, Map.of())) {
        failures.put(said, failure(call).kind());
      }
    }

    assertThat(failures)
        .containsEntry("Not logged in", Kind.REFUSED)
        .containsEntry("Connection refused (ECONNREFUSED)", Kind.UNAVAILABLE);
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

  @Test
  void aSecretInItsComplaintIsNotPassedOn() throws Exception {
    Path program = script("echo \"bad key $FAULT\" >&2; exit 3");
    var environment = Map.of("FAULT", "very-secret-value");
    try (AgentCall call = opened(program, environment)) {
      assertThat(failure(call))
          .hasMessageContaining("exit 3")
          .hasMessageNotContaining("very-secret-value");
    }
  }

  @Test
  @DisplayName("a secret of which the kept end of standard error begins with a half is taken out")
  void aSecretAtTheCutIsNotPassedOn() throws Exception {
    Path program =
        script("printf '%s%s' \"$FAULT\" \"$(head -c 4086 /dev/zero | tr '\\0' ' ')\" >&2; exit 3");
    var environment = Map.of("FAULT", "very-secret-value");
    try (AgentCall call = opened(program, environment)) {
      assertThat(failure(call)).hasMessageNotContaining("et-value");
    }
  }

  @Test
  @DisplayName("an interrupt ends the call with its processes")
  void anInterruptEndsIt() throws Exception {
    try (AgentCall call = faulty("brood", Duration.ofSeconds(50))) {
      var ended = new CompletableFuture<Throwable>();
      Thread asking =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  ended.complete(new AssertionError(call.ask("Judge.", SCHEMA)));
                } catch (ModelFailure | InterruptedException e) {
                  ended.complete(e);
                }
              });
      await().until(() -> !ProcSampler.sessions(home()).isEmpty());

      asking.interrupt();

      assertThat(ended.get()).isInstanceOf(InterruptedException.class);
      assertNothingLeft();
    }
  }

  @Test
  @DisplayName("a stop of Flyball ends the call with its processes, and starts no other")
  void aStopEndsIt() throws Exception {
    try (AgentCall call = faulty("brood", Duration.ofSeconds(50))) {
      var ended = CompletableFuture.supplyAsync(() -> failure(call));
      await().until(() -> !ProcSampler.sessions(home()).isEmpty());

      call.cease();

      assertThat(ended.get()).hasMessageContaining("stopped");
      assertThat(failure(call)).hasMessageContaining("stopped");
      assertNothingLeft();
    }
  }

  private static ModelFailure failure(AgentCall call) {
    return catchThrowableOfType(ModelFailure.class, () -> call.ask("Judge.", SCHEMA));
  }

  private void assertNothingLeft() {
    assertThat(ProcSampler.sessions(home())).isEmpty();
  }

  private String home() {
    return "HOME=" + folder;
  }

  private AgentCall faulty(String fault, Duration limit) {
    Path program = Path.of("../examples/fault-agent").toAbsolutePath().normalize();
    return opened(usual(program), Map.of("FAULT", fault), limit);
  }

  private AgentCall opened(Path program, Map<String, String> environment) {
    return opened(usual(program), environment);
  }

  private AgentCall opened(AgentProfile profile, Map<String, String> environment) {
    return opened(profile, environment, Duration.ofSeconds(30));
  }

  private AgentCall opened(AgentProfile profile, Map<String, String> environment, Duration limit) {
    var all = new HashMap<>(environment);
    all.put("PATH", "/usr/bin:/bin");
    all.put("HOME", folder.toString());
    var call =
        new AgentCall(
            new ByAgent(profile, limit, 0),
            folder.resolve("calls"),
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

  private Path script(String body) throws IOException {
    Path program = Files.writeString(folder.resolve("program.sh"), "#!/bin/sh\n" + body + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }
}
