package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;

final class ServiceGroupTest {
  private static final String PAUSE = "global paused by ann: release";

  @Test
  void aReasonThatTwoServicesReportAppearsOnceWithBothNames() {
    var services = new LinkedHashMap<String, Service>();
    services.put("runner", reporting(Health.degraded("pause", PAUSE)));
    services.put("triage", reporting(Health.starting("triage reads its state")));
    services.put("console", reporting(Health.degraded("pause", PAUSE)));

    Health health = new ServiceGroup(services).health();

    assertThat(health.status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(health.ready()).isFalse();
    assertThat(health.reasons())
        .containsExactly("runner, console: " + PAUSE, "triage reads its state");
  }

  private static Service reporting(Health health) {
    return new Service() {
      @Override
      public void start() {}

      @Override
      public void stop() {}

      @Override
      public Health health() {
        return health;
      }
    };
  }
}
