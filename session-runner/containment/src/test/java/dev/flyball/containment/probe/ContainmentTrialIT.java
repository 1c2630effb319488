package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which containments a runner accepts, with real processes at level B. */
@Timeout(60)
class ContainmentTrialIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;
  private Containment real;

  @BeforeEach
  void make() throws IOException {
    var settings = ContainmentSettings.in(folder).withTick(Duration.ofMillis(20));
    real = ContainmentProbe.strongest(settings, Level.B, Level.B).containment();
  }

  @Test
  void aContainmentWhoseDeadmanEndsTheTreeIsAccepted() {
    assertThat(ContainmentTrial.problem(real, LIMIT)).isEmpty();
  }

  @Test
  void aContainmentWhoseDeadmanFailsIsRejected() {
    assertThat(ContainmentTrial.problem(new WithoutDeadman(real), Duration.ofSeconds(2)))
        .contains("2000 ms after its deadline");
  }

  /** Its deadman ignores each change of the deadline. */
  private record WithoutDeadman(Containment inner) implements Containment {
    @Override
    public Level level() {
      return inner.level();
    }

    @Override
    public ContainedProcess startUntil(Launch launch, Duration end) throws IOException {
      ContainedProcess process = inner.startUntil(launch, end);
      return (ContainedProcess)
          Proxy.newProxyInstance(
              ContainedProcess.class.getClassLoader(),
              new Class<?>[] {ContainedProcess.class},
              (proxy, method, arguments) ->
                  method.getName().equals("extendTo") ? true : method.invoke(process, arguments));
    }
  }
}
