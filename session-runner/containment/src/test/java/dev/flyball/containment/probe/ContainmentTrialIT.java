package dev.flyball.containment.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
    assertThat(ContainmentTrial.problem(new WithoutDeadman(real), Duration.ofSeconds(5)))
        .contains("5000 ms after its deadline");
  }

  /** Its deadman ignores each change of the deadline. */
  private record WithoutDeadman(Containment inner) implements Containment {
    @Override
    public Level level() {
      return inner.level();
    }

    @Override
    public ContainedProcess startUntil(Launch launch, Duration end) throws IOException {
      return new UnchangedDeadline(inner.startUntil(launch, end));
    }

    @Override
    public int cleared(String session, Duration limit) {
      return inner.cleared(session, limit);
    }
  }

  private record UnchangedDeadline(ContainedProcess inner) implements ContainedProcess {
    @Override
    public Identity identity() {
      return inner.identity();
    }

    @Override
    public InputStream out() {
      return inner.out();
    }

    @Override
    public InputStream err() {
      return inner.err();
    }

    @Override
    public boolean extendTo(Duration end) {
      return true;
    }

    @Override
    public CompletableFuture<Exit> onExit() {
      return inner.onExit();
    }

    @Override
    public Sample sample(Duration age) {
      return inner.sample(age);
    }

    @Override
    public KillReport kill(KillLadder ladder) {
      return inner.kill(ladder);
    }
  }
}
