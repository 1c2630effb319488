package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flyball.broker.BrokerSecret;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is around the program and wrong: one line that says what, where and the mend, and the exit
 * code of the command line's contract.
 */
@Tag("long")
@DisplayName("Bad surroundings end in one clear line")
final class SurroundingsIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String LEDGER = "flyball.session-ledger";

  /** Megabytes of a disk that is not full: a session needs 256 of free space to start. */
  private static final int ROOMY = 512;

  /** Fills its disk in a moment. */
  private static final String TALKS =
      "while sleep 0.1; do head -c 30000 /dev/zero | tr '\\0' x; echo; done\n";

  @TempDir Path folder;
  private Workplace place;

  @BeforeEach
  void prepare() {
    place = Workplace.in(folder);
    place.write("items.jsonl", Workplace.backlog(Workplace.LEASE, "1"));
  }

  @Test
  void aTakenAddressOrAFolderOfNoUseIsRefused() throws IOException {
    place.write("afile", "");
    var all = new Several();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Disk readOnly = Disk.mount(folder.resolve("ro"), 8).readOnly();
        Disk full = Disk.mount(folder.resolve("full"), 8).fill()) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      String ro = readOnly.folder().toString();
      String none = full.folder().resolve("data").toString();
      all.start("console.listen " + address, "up --data d1 --set console.listen=" + address);
      String free = " --set console.listen=127.0.0.1:0";
      all.start("broker address " + address, "up --data d2 --set broker.listen=" + address + free);
      all.start(ro + " ", "run items.jsonl --data " + ro);
      all.start("afile ", "up --data afile");
      all.start(none + "/kafka ", "run items.jsonl --data " + none);
      for (String role : List.of("producer", "console")) {
        String lone = role + " --bootstrap-servers 127.0.0.1:1 --data ";
        all.start(ro + "/" + role, lone + ro);
        all.start(" 127.0.0.1:1", lone + "d3 --set broker.wait=0s");
      }
      all.check();
    }
  }

  @Test
  void aRunOnADiskOnWhichNoSessionStartsEndsAndSaysSo() {
    try (Disk _ = Disk.mount(folder.resolve("disk"), ROOMY / 4);
        Program run =
            Program.start(folder, "run", "items.jsonl", "--repo", "repo", "--data", "disk/data")) {
      assertThat(run.awaitExit(SOON)).as(run::err).isEqualTo(1);
      assertThat(run.err()).contains("MB of disk free in the data folder, needs 256 MB");
    }
  }

  @Test
  void aDiskThatFillsWhileSessionsRunEndsTheRunAndTheNextGoesOn() {
    String agent =
        place.agent(
            "agent.sh",
            "if [ -e \"$HOME/go\" ]; then echo 'see src/Ledger.java:3'; exit 0; fi\n" + TALKS);
    try (Disk disk = Disk.mount(folder.resolve("disk"), ROOMY)) {
      String[] command = {
        "run", "items.jsonl", "--repo", "repo", "--agent", agent, "--json", "--data", "disk/data"
      };
      try (Program run = Program.start(folder, command)) {
        await("a session").atMost(SOON).until(() -> !place.live().isEmpty());
        disk.fill();
        assertThat(run.awaitExit(SOON)).as(run::err).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines().toList().getLast())
            .startsWith("flyball: Kafka stopped: ")
            .contains("disk/data/kafka is full: free space there and start again");
        assertThat(told(run).filter(line -> !line.contains(" settled: ")))
            .as("is up, what was read, why it stopped")
            .hasSize(3);
      }
      await("no survivor").atMost(SOON).until(() -> place.live().isEmpty());
      disk.free();
      place.write("go", "");
      Program again = Program.run(folder, command);
      assertThat(again.awaitEnd()).as(again::err).isZero();
      assertThat(again.json().path("sessions").path("completed").asInt()).isEqualTo(2);
    }
  }

  @Test
  void aDiskThatFillsEndsAServiceAsUnhealthyWithOneLine() {
    place.service("agent: \"" + place.agent("agent.sh", TALKS) + "\"");
    try (Disk disk = Disk.mount(folder.resolve("disk"), ROOMY);
        Program up = Program.start(folder, "up", "--data", "disk/data")) {
      await("a session").atMost(SOON).until(() -> !place.live().isEmpty());
      disk.fill();

      assertThat(up.awaitExit(SOON)).as(up::err).isEqualTo(4);
      assertThat(told(up).filter(line -> line.contains("Kafka stopped: ")))
          .singleElement()
          .asString()
          .startsWith("flyball: Kafka stopped: ")
          .contains("disk/data/kafka is full: free space there and start again; see ");
      await("no survivor").atMost(SOON).until(() -> place.live().isEmpty());
    }
  }

  @Test
  void aServiceKeepsItsFolderItsSecretsAndStopsClaimingWhenItsLedgerIsMadeAgain() throws Exception {
    String agent =
        place.agent(
            "agent.sh",
            """
            cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c RUNNER_ONLY > "$HOME/$$"
            mv "$HOME/$$" "$HOME/seen"
            sleep 300
            """);
    place.service("agent: \"" + agent + "\"");
    try (Program up = Program.up(folder, Map.of("RUNNER_ONLY", "s3cret"))) {
      await("sessions").atMost(SOON).until(() -> place.live().size() == 2);
      await("what an agent saw").atMost(SOON).until(() -> Files.exists(folder.resolve("seen")));
      assertThat(folder.resolve("seen")).as("secrets that an agent can read").hasContent("0");

      refusesOthers(up.ready("kafka"));
      assertThat(place.live()).as("sessions go on").hasSize(2);

      makeAgain();
      await("own sessions killed").atMost(SOON).until(() -> place.live().isEmpty());
      KafkaFixture.await()
          .untilAsserted(() -> {
            HttpResponse<String> health = up.get("/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).contains("runner: ", LEDGER);
          });
      assertThat(up.err().lines().filter(line -> line.contains(LEDGER))).isNotEmpty();
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
  }

  /** What would write to the same folder, and topics that others made wrong on the same broker. */
  private void refusesOthers(String kafka) throws Exception {
    try (Admin admin = owner()) {
      var few = new NewTopic("few.work-items", 3, (short) 1);
      var odd = new NewTopic("odd.analyses", 6, (short) 1);
      odd.configs(Map.of("cleanup.policy", "delete"));
      admin.createTopics(List.of(few, odd)).all().get();
    }
    var all = new Several();
    String taken = folder.resolve(".flyball").toString();
    all.start(taken, "run items.jsonl");
    all.start(taken, "up");
    for (String role : List.of("triage", "runner")) {
      all.start(taken, role + " --bootstrap-servers " + kafka);
    }
    all.start(
        "broker.data", "runner --data stranger --set broker.wait=0s --bootstrap-servers " + kafka);
    String lone = " --set broker.data=.flyball --data other --set topics.prefix=";
    all.start(
        "topic few.work-items: partitions is 3 and must be 6; run: kafka-topics.sh",
        "runner" + lone + "few.");
    all.start(
        "topic odd.analyses: cleanup.policy is delete and must be compact; run: kafka-configs.sh",
        "triage" + lone + "odd.");
    all.check();
  }

  /** With the secret of the service. */
  private Admin owner() {
    return Admin.create(
        Map.<String, Object>copyOf(
            BrokerSecret.clientProperties(folder.resolve(".flyball/kafka")).orElseThrow()));
  }

  private void makeAgain() throws Exception {
    try (Admin admin = owner()) {
      admin.deleteTopics(List.of(LEDGER)).all().get();
      await("deleted").atMost(SOON).until(() -> !admin.listTopics().names().get().contains(LEDGER));
      admin.createTopics(List.of(new NewTopic(LEDGER, 1, (short) 1))).all().get();
    }
  }

  /** Standard error without what is told of sessions and problems. */
  private static Stream<String> told(Program program) {
    return program
        .err()
        .lines()
        .filter(line ->
            !line.matches("flyball: (sessions?|problem:|over:|stopping|and \\d+ more;)\\b.*"));
  }

  /** Commands that run beside each other and must all be refused. */
  private final class Several {
    private final Map<Program, String> expected = new LinkedHashMap<>();

    void start(String line, String command) {
      expected.put(Program.start(folder, command.split(" ")), line);
    }

    void check() {
      expected.forEach((program, line) -> {
        assertThat(program.awaitExit(SOON)).as(program::err).isEqualTo(1);
        assertThat(program.out()).isEmpty();
        assertThat(program.err().lines().filter(said -> !said.contains(" s (broker.wait)")))
            .as("besides those of the wait for a broker that is slow to answer")
            .singleElement()
            .asString()
            .startsWith("flyball: ")
            .contains(line);
      });
    }
  }

  /** A small disk of its own, for what happens when it is full or read-only. Needs root. */
  private record Disk(Path folder) implements AutoCloseable {
    /** Mounts one there. */
    static Disk mount(Path folder, int megabytes) {
      assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      var _ =
          Shell.said(
              "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", folder.toString());
      return new Disk(folder);
    }

    Disk readOnly() {
      var _ = Shell.said("mount", "-o", "remount,ro", folder.toString());
      return this;
    }

    /** Takes what is left. */
    Disk fill() {
      try (OutputStream out = Files.newOutputStream(filling())) {
        var piece = new byte[4096];
        while (true) {
          out.write(piece);
        }
      } catch (IOException full) {
        return this;
      }
    }

    /** Gives it back. */
    void free() {
      try {
        Files.delete(filling());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      var _ = Shell.said("umount", "-l", folder.toString());
    }

    private Path filling() {
      return folder.resolve("filling");
    }
  }
}
