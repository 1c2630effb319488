package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The printed rights on a Kafka with TLS, logins and access rules: with them every role does its
 * work, and each of them is needed.
 */
@Tag("long")
final class LeastRightsIT {
  /** Needed, but only by what one item in a minute does not cause. */
  private static final Set<String> LATER =
      Set.of(
          // A producer without its local file reads which snapshots were published.
          "producer flyball.work-items READ",
          // Which items still wait is read again from time to time, where there are requests.
          "producer flyball.session-requests READ",
          // The ledger is cut after seven days, below what triage has committed.
          "runner flyball.session-ledger DELETE",
          "runner flyball-triage DESCRIBE",
          // The spend of a model that judges batches.
          "triage flyball.session-ledger WRITE",
          // What a source's earlier polls left; here each source is polled by one start.
          "producer flyball.poll-state READ",
          // Records that cannot be read.
          "triage flyball.dead-letters WRITE",
          "runner flyball.dead-letters WRITE",
          "console flyball.dead-letters WRITE",
          // Actions and pages of the console over HTTP; the operator's commands do the same.
          "console flyball.commands WRITE",
          "console flyball.session-ledger WRITE",
          "console flyball.session-output READ",
          // The command `triage --shadow`.
          "operator flyball-triage-item-state-changelog READ");

  private static final List<String> ROLES = List.of("triage", "runner", "console", "producer");

  @TempDir Path folder;
  private final Map<String, Program> programs = new TreeMap<>();

  @AutoClose
  private final FaultServer webhook =
      FaultServer.http().otherwise(_ -> FaultReply.status(200, Map.of()));

  private Workplace place;

  @BeforeEach
  void prepare() {
    place = Workplace.in(folder.resolve("place"), Workplace.ANSWERS);
  }

  @AfterEach
  void stop() {
    programs.values().forEach(Program::stop);
  }

  @Test
  void withThePrintedRightsEveryRoleWorksAndEachOfThemIsNeeded() throws Exception {
    try (SecuredKafka kafka = SecuredKafka.start(folder);
        Admin admin = kafka.admin()) {
      configure(kafka);
      aLoginWithoutRightsIsToldWhatIsMissing();
      provision(kafka, admin);
      UsedRights.ALLOWED.clear();
      UsedRights.DENIED.clear();

      ROLES.forEach(this::role);
      programs.values().forEach(Program::awaitReady);
      oneItem();
      operators();

      assertThat(UsedRights.DENIED.stream().filter(LeastRightsIT::matters).toList())
          .as(this::problems)
          .isEmpty();
      assertThat(unused()).isEmpty();
      aWrongCertificateIsOneLine(kafka);
      programs.values().forEach(Program::stop);
      for (Taken taken : TAKEN) {
        withoutOne(admin, taken);
      }
    }
  }

  private void configure(SecuredKafka kafka) {
    SecuredKafka.loginFiles().forEach(place::write);
    place
        .configure(kafka.yaml(), 3, new Workplace.Clocks("45s", "5s", "10s"))
        .change(
            "interval: 1s",
            "interval: 1s, write-back: webhook, webhook-url: \"%s/analysis\""
                .formatted(webhook.url()))
        .change(
            "\\z",
            """
            notify: [{name: ops, type: webhook, url: "%s/note", on: [analysis]}]
            traces: {endpoint: "%s"}
            """
                .formatted(webhook.url(), webhook.url()));
  }

  private Program role(String role) {
    Program started = Program.start(place.home, role, "--data", role);
    programs.put(role, started);
    return started;
  }

  /** Sends one item through all roles, up to the webhooks. */
  private void oneItem() {
    place.addLine(Workplace.item(1, 1) + "no JSON\n");
    for (String path : List.of("/analysis", "/note")) {
      await(path)
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(() ->
              assertThat(webhook.requests())
                  .as(this::problems)
                  .anyMatch(request -> request.path().equals(path)));
    }
  }

  /** The commands that change or read something through Kafka, by the operator's login. */
  private void operators() {
    for (String command :
        List.of(
            "cap 2",
            "retry default/backlog/1",
            "logs default/backlog/1",
            "dead-letters requeue",
            "topics",
            "doctor")) {
      Program ran = Program.run(place.home, (command + " --data console").split(" "));
      assertThat(ran.awaitEnd())
          .as(command + ": " + ran.out() + ran.err())
          // The doctor also complains of a busy machine.
          .isIn(0, 3, 4);
    }
  }

  /** What all roles print. */
  private String problems() {
    return programs.entrySet().stream()
        .map(each -> each.getKey() + ": " + each.getValue().err() + each.getValue().out())
        .collect(Collectors.joining());
  }

  /** A rule that is taken away, and what the role then reports as it ends. */
  private record Taken(String role, String resource, AclOperation operation, String line) {}

  /** No right to write: RolesTest holds what each role asks for, LoginDeniedIT what it says. */
  private static final List<Taken> TAKEN =
      List.of(
          new Taken("runner", "flyball.", AclOperation.DESCRIBE, "--print-commands"),
          new Taken("runner", "flyball.", AclOperation.DESCRIBE_CONFIGS, "the settings"),
          new Taken("triage", "flyball-triage", AclOperation.READ, "access group: flyball-triage"));

  private void withoutOne(Admin admin, Taken taken) throws Exception {
    List<AclBinding> rules =
        AdminTool.rights(Topics.DEFAULT)
            .filter(rule ->
                rule.pattern().name().equals(taken.resource())
                    && rule.entry().operation() == taken.operation()
                    && rule.entry().principal().equals("User:flyball-" + taken.role()))
            .toList();
    assertThat(rules).as(taken.toString()).hasSize(1);
    admin.deleteAcls(rules.stream().map(AclBinding::toFilter).toList()).all().get();
    try (Program program = role(taken.role())) {
      program.awaitLine(taken.line());
      assertThat(program.awaitEnd()).as(taken + program.err()).isNotZero();
      assertThat(program.err().lines().filter(line -> line.contains(taken.line())))
          .as(program.err())
          .hasSize(1);
    } finally {
      admin.createAcls(rules).all().get();
    }
  }

  private static boolean matters(UsedRights.Used denied) {
    // Kafka Streams asks whether it could create topics that exist already. Doctor shows how long a
    // cluster keeps a group's offsets only where it may know.
    return !(denied.type() == ResourceType.CLUSTER
            && (denied.operation() == AclOperation.CREATE
                || denied.operation() == AclOperation.DESCRIBE_CONFIGS))
        && !denied.operation().equals(AclOperation.IDEMPOTENT_WRITE);
  }

  /** The printed rights that no request needed. */
  private static List<String> unused() {
    return AdminTool.rights(Topics.DEFAULT)
        .filter(right -> UsedRights.ALLOWED.stream().noneMatch(each -> each.by(right)))
        .map(right ->
            right.entry().principal().replace("User:flyball-", "")
                + " "
                + right.pattern().name()
                + " "
                + right.entry().operation())
        .filter(right -> !LATER.contains(right))
        .sorted()
        .toList();
  }

  private void aLoginWithoutRightsIsToldWhatIsMissing() {
    try (Program program = role("runner")) {
      program.awaitEnd();
      assertThat(program.err().lines().filter(line -> line.contains("let us")))
          .as(program.err())
          .hasSize(1);
    }
  }

  /** All topics, and the printed rights as Kafka has them. */
  private static void provision(SecuredKafka kafka, Admin admin) throws Exception {
    var settings = new KafkaSettings(Topics.DEFAULT, kafka.properties(), 1);
    var topics = new ArrayList<>(Topics.DEFAULT.specs());
    topics.addAll(Topics.DEFAULT.streamsTopics());
    new TopicProvisioner(new KafkaClients(settings, "test")).provision(topics);
    admin.createAcls(AdminTool.rights(Topics.DEFAULT).toList()).all().get();
  }

  private void aWrongCertificateIsOneLine(SecuredKafka kafka) {
    var certificates = new Certificates(folder);
    certificates.make("other");
    var properties = new HashMap<>(kafka.properties());
    properties.put("ssl.truststore.location", certificates.certificate("other").toString());
    var clients = new KafkaClients(new KafkaSettings(Topics.DEFAULT, properties), "test");
    assertThatThrownBy(() -> clients.reach(Duration.ofSeconds(20)))
        .isInstanceOf(KafkaFailure.class)
        .hasMessageStartingWith("TLS")
        .hasMessageContaining(kafka.bootstrapServers())
        .hasMessageContaining("kafka.ssl.truststore.*")
        .hasMessageNotContaining("\n");
    properties.put("ssl.truststore.location", folder.resolve("none.pem").toString());
    var none = new KafkaClients(new KafkaSettings(Topics.DEFAULT, properties), "test");
    assertThatThrownBy(() -> none.reach(Duration.ofSeconds(20)))
        .isInstanceOf(KafkaFailure.class)
        .hasMessageContaining("none.pem")
        .hasMessageContaining("correct kafka.")
        .hasMessageNotContaining("\n");
  }
}
