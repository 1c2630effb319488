package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.program.admin.AdminTool.RoleRight;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
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

  @TempDir Path folder;

  @Test
  void withThePrintedRightsEveryRoleWorksAndEachOfThemIsNeeded() throws Exception {
    try (SecuredKafka kafka = encrypted();
        Admin admin = kafka.admin();
        var path = new WholePath(folder.resolve("place"), kafka)) {
      aLoginWithoutRightsIsToldWhatIsMissing(path);
      provision(kafka, admin);
      UsedRights.ALLOWED.clear();
      UsedRights.DENIED.clear();

      path.start();
      path.oneItem();
      path.operators();

      assertThat(UsedRights.DENIED.stream().filter(LeastRightsIT::matters).toList())
          .as(path.problems())
          .isEmpty();
      assertThat(unused()).isEmpty();
      aWrongCertificateIsOneLine(kafka);
      path.stop();
      for (Taken taken : TAKEN) {
        withoutOne(admin, path, taken);
      }
    }
  }

  /** A rule that is taken away, and what the role then reports as it ends. */
  private record Taken(String role, String resource, AclOperation operation, String line) {}

  /** No right to write: RolesTest holds what each role asks for, LoginDeniedIT what it says. */
  private static final List<Taken> TAKEN =
      List.of(
          new Taken("runner", "flyball.", AclOperation.DESCRIBE, "--print-commands"),
          new Taken("runner", "flyball.", AclOperation.DESCRIBE_CONFIGS, "the settings"),
          new Taken("triage", "flyball-triage", AclOperation.READ, "access group: flyball-triage"));

  private void withoutOne(Admin admin, WholePath path, Taken taken) throws Exception {
    List<AclBinding> rules =
        rules()
            .filter(rule ->
                rule.pattern().name().equals(taken.resource())
                    && rule.entry().operation() == taken.operation()
                    && rule.entry().principal().equals("User:flyball-" + taken.role()))
            .toList();
    assertThat(rules).as(taken.toString()).hasSize(1);
    admin.deleteAcls(rules.stream().map(AclBinding::toFilter).toList()).all().get();
    try (Program program = path.role(taken.role())) {
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
  private static Set<String> unused() {
    var unused = new TreeSet<String>();
    for (RoleRight right : RoleRight.all(Topics.DEFAULT)) {
      String of = right.user() + " " + right.name();
      for (AclOperation operation : right.operations()) {
        boolean used =
            UsedRights.ALLOWED.stream()
                .anyMatch(each ->
                    each.user().equals("flyball-" + right.user())
                        && each.type() == right.type()
                        && each.operation() == operation
                        && (right.pattern() == PatternType.LITERAL
                            ? each.name().equals(right.name())
                            : each.name().startsWith(right.name())));
        if (!used && !LATER.contains(of + " " + operation)) {
          unused.add(of + " " + operation);
        }
      }
    }
    return unused;
  }

  private void aLoginWithoutRightsIsToldWhatIsMissing(WholePath path) {
    try (Program program = path.role("runner")) {
      program.awaitEnd();
      assertThat(program.err().lines().filter(line -> line.contains("let us")))
          .as(program.err())
          .hasSize(1);
    }
  }

  /** All topics, and the printed rights as Kafka has them. */
  private static void provision(SecuredKafka kafka, Admin admin) throws Exception {
    var settings = new KafkaSettings(Topics.DEFAULT, kafka.properties(SecuredKafka.ADMIN), 1);
    var topics = new ArrayList<>(Topics.DEFAULT.specs());
    topics.addAll(Topics.DEFAULT.streamsTopics());
    new TopicProvisioner(new KafkaClients(settings, "test")).provision(topics);
    admin.createAcls(rules().toList()).all().get();
  }

  private static Stream<AclBinding> rules() {
    return RoleRight.all(Topics.DEFAULT).stream()
        .flatMap(right ->
            right.operations().stream()
                .map(operation ->
                    new AclBinding(
                        new ResourcePattern(right.type(), right.name(), right.pattern()),
                        new AccessControlEntry(
                            RoleRight.PRINCIPAL + right.user(),
                            "*",
                            operation,
                            AclPermissionType.ALLOW))));
  }

  private void aWrongCertificateIsOneLine(SecuredKafka kafka) {
    var certificates = new Certificates(folder);
    certificates.make("other");
    var properties = new HashMap<>(kafka.properties(SecuredKafka.ADMIN));
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

  private SecuredKafka encrypted() {
    var certificates = new Certificates(folder);
    Path store = certificates.make("broker");
    return SecuredKafka.start(
        folder.resolve("kafka"),
        Map.of(
            "listener.name.clients.ssl.keystore.type",
            "PKCS12",
            "listener.name.clients.ssl.keystore.location",
            store.toString(),
            "listener.name.clients.ssl.keystore.password",
            Certificates.PASSWORD),
        Map.of(
            "security.protocol",
            "SASL_SSL",
            "ssl.truststore.type",
            "PEM",
            "ssl.truststore.location",
            certificates.certificate("broker").toString()));
  }
}
