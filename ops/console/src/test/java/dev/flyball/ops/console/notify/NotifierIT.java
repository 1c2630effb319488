package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HealthReport;
import dev.flyball.ops.telemetry.MachineLoad;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.KafkaFixture;
import java.net.http.HttpClient;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NotifierIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final Set<Notification.Kind> ON =
      Set.of(Notification.Kind.DEAD, Notification.Kind.TROUBLE);
  private static final FaultReply TAKEN = FaultReply.status(200, Map.of());

  private final Telemetry telemetry = new Telemetry();

  @Test
  void eachTargetIsNotifiedOnceWhateverHappensToTheOthers() throws Exception {
    KAFKA.produce(dead("e-old", "a/b/old"));
    int closed = FreePort.take();
    try (var slack = FaultServer.http().otherwise(_ -> TAKEN);
        var teams = FaultServer.http().otherwise(_ -> TAKEN);
        var hook = FaultServer.http().otherwise(_ -> TAKEN)) {
      hook.then(FaultReply.status(503, Map.of()));
      List<NotifyTarget> targets =
          List.of(
              target("slack", NotifyTarget.Type.SLACK, slack.url() + "/s"),
              target("teams", NotifyTarget.Type.TEAMS, teams.url() + "/t"),
              target("hook", NotifyTarget.Type.WEBHOOK, hook.url() + "/h"),
              target("down", NotifyTarget.Type.SLACK, "http://127.0.0.1:" + closed + "/"));

      try (Notifier notifier = start(targets)) {
        for (NotifyTarget each : targets) {
          KafkaFixture.await().until(() -> positions(each.name()).size() == 6);
        }
        long before = read("hook");
        KAFKA.produce(dead("e-1", "a/b/1"));
        KafkaFixture.await()
            .untilAsserted(() -> {
              assertThat(bodies(slack)).singleElement().asString().contains("a/b/1", "&lt;!here");
              assertThat(bodies(teams)).singleElement().asString().contains("AdaptiveCard");
              assertThat(hook.requests()).hasSize(2);
            });
        assertThat(hook.requests())
            .extracting(request -> request.header("webhook-id").orElse(""))
            .containsOnly("e-1-dead");
        KAFKA.produce(dead("e-2", "a/b/1"));
        KafkaFixture.await()
            .until(() -> notifier.health().reasons().toString().contains("notifications to down"));
        KafkaFixture.await().until(() -> read("hook") == before + 2);
      }

      try (Notifier notifier = start(targets);
          var up = FaultServer.http(closed).otherwise(_ -> TAKEN)) {
        KAFKA.produce(dead("e-3", "a/b/3"));
        KafkaFixture.await()
            .untilAsserted(() -> {
              assertThat(bodies(up)).hasSize(2);
              assertThat(bodies(slack)).hasSize(2);
              assertThat(bodies(teams)).hasSize(2);
            });
        assertThat(bodies(up)).anyMatch(it -> it.contains("a/b/1"));
        assertThat(bodies(slack).getLast()).contains("a/b/3");
        assertThat(notifier.health().reasons()).noneMatch(it -> it.contains("slack"));
      }
      assertThat(slack.requests()).noneMatch(request -> request.body().contains("a/b/old"));
      assertThat(telemetry.scrape())
          .contains(
              "flyball_notifications_total{outcome=\"sent\",type=\"teams\"} 2.0",
              "flyball_notifications_total{outcome=\"failed\",type=\"webhook\"} 0.0");
    }
    assertThat(readMoreByAnEndDuringASend(TAKEN)).as("it was accepted").isEqualTo(1);
    assertThat(readMoreByAnEndDuringASend(FaultReply.status(503, Map.of())))
        .as("its event is read again by the next start")
        .isZero();
  }

  @Test
  void anAlarmDoesNotWaitForAMessageThatFails() throws Exception {
    try (var hook =
            FaultServer.http()
                .otherwise(
                    it -> FaultReply.status(it.body().contains("dead") ? 503 : 200, Map.of()));
        Notifier _ = start(List.of(target("picky", NotifyTarget.Type.WEBHOOK, hook.url() + "/")))) {
      KafkaFixture.await().until(() -> positions("picky").size() == 6);
      KafkaFixture.await().until(() -> positions("alarms.picky").size() == 6);
      KAFKA.produce(dead("e-1", "a/b/1"));
      KafkaFixture.await().until(() -> !hook.requests().isEmpty());
      EventData alive = EventData.EMPTY.with(Field.SURVIVORS, 2);
      KAFKA.produce(event("e-2", EventType.SESSION_LOST, "a/b/1", alive));
      KafkaFixture.await().until(() -> bodies(hook).stream().anyMatch(it -> it.contains("alive")));
    }
  }

  private long readMoreByAnEndDuringASend(FaultReply answer) throws Exception {
    Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
    try (var slow =
        FaultServer.http()
            .otherwise(_ -> CompletableFuture.supplyAsync(() -> answer, later).join())) {
      long before = read("hook");
      try (Notifier _ =
          start(List.of(target("hook", NotifyTarget.Type.WEBHOOK, slow.url() + "/h")))) {
        KAFKA.produce(dead("e-4", "a/b/4"));
        KafkaFixture.await().until(() -> !slow.requests().isEmpty());
      }
      return read("hook") - before;
    }
  }

  private Notifier start(List<NotifyTarget> targets) {
    return new Notifier(
        new NotifyConfig(targets, null),
        KAFKA.settings(),
        telemetry,
        HttpClient.newHttpClient(),
        () -> HealthReport.of(Health.healthy(), 0, 0, MachineLoad.now(), 0));
  }

  /** How many events a target has read, over all partitions. */
  private static long read(String target) throws Exception {
    return positions(target).stream().mapToLong(OffsetAndMetadata::offset).sum();
  }

  private static Collection<OffsetAndMetadata> positions(String target) throws Exception {
    String prefix = KAFKA.topics().prefix();
    try (Admin admin = KAFKA.clients("test").admin("offsets")) {
      return admin
          .listConsumerGroupOffsets(prefix.substring(0, prefix.length() - 1) + "-notify-" + target)
          .partitionsToOffsetAndMetadata()
          .get()
          .values();
    }
  }

  private static List<String> bodies(FaultServer server) {
    return server.requests().stream().map(FaultRequest::body).toList();
  }

  private static NotifyTarget target(String name, NotifyTarget.Type type, String url) {
    return new NotifyTarget(name, type, ON, null, () -> HookAddress.parse(url), Optional::empty);
  }

  private static LifecycleEvent dead(String id, String item) {
    var data =
        EventData.EMPTY.with(Field.TITLE, "Broken <!here>\r\nBcc: x", Field.REASON, "3 attempts");
    return event(id, EventType.ITEM_DEAD_LETTERED, item, data);
  }

  private static LifecycleEvent event(String id, EventType type, String item, EventData data) {
    return new LifecycleEvent(id, type, "/triage", item, Instant.now(), data);
  }
}
