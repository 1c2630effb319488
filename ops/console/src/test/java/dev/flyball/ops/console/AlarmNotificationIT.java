package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class AlarmNotificationIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;

  @Test
  void anInvariantThatTheConsoleSeesBrokenReachesATarget() {
    KAFKA.provision();
    try (var slack = FaultServer.http().otherwise(_ -> FaultReply.status(200, Map.of()));
        var app =
            ConsoleApp.service(
                ConsoleConfig.defaults(folder),
                KAFKA.settings(),
                new Telemetry(),
                new NotifyConfig(List.of(target(slack)), NotifyConfig.Links.NONE),
                HttpClient::newHttpClient)) {
      app.start();
      KAFKA.produce(end("one"));
      KAFKA.produce(end("two"));

      KafkaFixture.await()
          .untilAsserted(() ->
              assertThat(slack.requests())
                  .singleElement()
                  .satisfies(request ->
                      assertThat(request.body()).contains("*Invariant", "terminal event")));
    }
  }

  private static NotifyTarget target(FaultServer server) {
    return new NotifyTarget(
        "ops",
        NotifyTarget.Type.SLACK,
        Set.of(Notification.Kind.TROUBLE),
        null,
        () -> HookAddress.parse(server.url() + "/s"),
        Optional::empty,
        false);
  }

  private static LifecycleEvent end(String id) {
    return new LifecycleEvent(
        id,
        EventType.SESSION_COMPLETED,
        "/triage",
        "a/b/1",
        Instant.now(),
        EventData.EMPTY.with(Field.SESSION, "s1"));
  }
}
