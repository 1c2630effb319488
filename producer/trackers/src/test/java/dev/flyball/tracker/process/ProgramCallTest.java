package dev.flyball.tracker.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program run to its end, with a limit for everything. */
@EnabledOnOs(OS.LINUX)
class ProgramCallTest {
  private static final Duration AMPLE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void itsOutputsAndItsExitAreTold() throws Exception {
    assertThat(run(AMPLE, "echo \"out $WORD\"; echo err >&2; exit 3"))
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended -> {
              assertThat(ended.exit()).isEqualTo(3);
              assertThat(new String(ended.stdout(), UTF_8)).isEqualTo("out given\n");
              assertThat(ended.stderr()).isEqualTo("err\n");
            });
  }

  @Test
  void itHasNothingToReadAndSoNothingToWaitFor() throws Exception {
    assertThat(run(AMPLE, "cat; read -r answer; echo \"asked: $?\""))
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended -> assertThat(new String(ended.stdout(), UTF_8)).isEqualTo("asked: 1\n"));
  }

  @Test
  void bothOutputsAreReadHoweverMuchItIs() throws Exception {
    assertThat(
            run(
                AMPLE,
                "head -c 3000000 /dev/zero | tr '\\0' e >&2; head -c 3000000 /dev/zero | tr '\\0'"
                    + " o"))
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended -> {
              assertThat(ended.stdout()).hasSize(3_000_000);
              assertThat(ended.stderr()).hasSize(64 << 10);
            });
  }

  @Test
  void moreThanIsTakenEndsIt() throws Exception {
    var call = new ProgramCall(List.of("bash", "-c", "yes"), Map.of(), AMPLE, 1 << 20);

    assertThat(call.run()).isEqualTo(new ProgramEnd.Flooded(1 << 20));
  }

  // S4-4
  @Test
  void whatTakesTooLongIsEnded() throws Exception {
    assertThat(run(Duration.ofMillis(300), "trap '' TERM; sleep 300; echo never"))
        .isEqualTo(new ProgramEnd.TimedOut());
  }

  // S4-5
  @Test
  void aChildThatItLeavesBehindIsEndedAndHoldsNothingUp() throws Exception {
    ProgramEnd outcome =
        run(
            AMPLE,
            "setsid bash -c 'echo $$ >> pids; exec sleep 300' & wait_for() { until [ -s pids ];"
                + " do sleep 0.05; done; }; wait_for; echo done");

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended -> assertThat(new String(ended.stdout(), UTF_8)).isEqualTo("done\n"));
    assertThat(pids()).hasSize(1);
    assertThat(alive()).isEmpty();
  }

  @Test
  void aProgramThatIsNotThereOrMayNotRunNeverStarted() throws Exception {
    Path file = Files.writeString(folder.resolve("no-program"), "text");

    assertThat(new ProgramCall(List.of("no-such-program-here"), Map.of(), AMPLE).run())
        .isEqualTo(new ProgramEnd.NotStarted());
    assertThat(new ProgramCall(List.of(file.toString()), Map.of(), AMPLE).run())
        .isEqualTo(new ProgramEnd.NotStarted());
  }

  @Test
  void aWordOfTheCallIsNeverAShells() throws Exception {
    var call = new ProgramCall(List.of("echo", "$(touch x); `id` 'a'"), Map.of(), AMPLE);

    assertThat(call.run())
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended ->
                assertThat(new String(ended.stdout(), UTF_8)).isEqualTo("$(touch x); `id` 'a'\n"));
  }

  @Test
  void whatIsNamedAsASecretIsNotPassedOnExceptAzsOwn() throws Exception {
    var environment =
        Map.of(
            "JIRA_TOKEN", "1",
            "REDMINE_KEY", "2",
            "client_secret", "3",
            "DB_PASSWORD", "4",
            "AZURE_CLIENT_SECRET", "5",
            "AZURE_DEVOPS_EXT_PAT", "6",
            "KEY_FOLDER", "7");
    String words = "$JIRA_TOKEN,$REDMINE_KEY,$client_secret,$DB_PASSWORD";
    String kept = "$AZURE_CLIENT_SECRET,$AZURE_DEVOPS_EXT_PAT,$KEY_FOLDER";
    var call =
        new ProgramCall(List.of("bash", "-c", "echo " + words + ":" + kept), environment, AMPLE);

    assertThat(call.run())
        .isInstanceOfSatisfying(
            ProgramEnd.Ended.class,
            ended -> assertThat(new String(ended.stdout(), UTF_8)).isEqualTo(",,,:5,6,7\n"));
  }

  @Test
  void whoIsToStopLeavesNothingRunning() throws Exception {
    var outcome = new CompletableFuture<ProgramEnd>();
    Thread caller =
        Thread.ofPlatform()
            .start(() -> {
              try {
                outcome.complete(run(AMPLE, "echo $$ >> pids; sleep 300"));
              } catch (InterruptedException e) {
                outcome.completeExceptionally(e);
              }
            });
    Awaitility.await().atMost(AMPLE).until(() -> Files.exists(folder.resolve("pids")));

    caller.interrupt();

    assertThatThrownBy(() -> outcome.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(alive()).isEmpty();
  }

  private ProgramEnd run(Duration timeout, String script) throws InterruptedException {
    return new ProgramCall(
            List.of("bash", "-c", "cd '" + folder + "'; " + script),
            Map.of("WORD", "given"),
            timeout)
        .run();
  }

  private List<Long> pids() throws IOException {
    return Files.readAllLines(folder.resolve("pids")).stream().map(Long::parseLong).toList();
  }

  private List<Long> alive() throws IOException {
    return pids().stream()
        .filter(pid -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent())
        .toList();
  }
}
