package dev.flyball.containment.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The thread that starts all agents")
class SpawnerTest {

  @Test
  @DisplayName("an error after the fork is not a rejected start: a process may live")
  void anErrorAfterTheForkIsNotARejectedStart() throws Exception {
    var forked = new AtomicReference<@Nullable Process>();
    var lacking = new OutOfMemoryError("unable to create native thread");

    assertThatThrownBy(() ->
            Spawner.start(() -> {
              forked.set(new ProcessBuilder("sleep", "60").start());
              throw lacking;
            }))
        .isSameAs(lacking);

    Process process = Objects.requireNonNull(forked.get());
    process.destroyForcibly().waitFor();
    assertThat(Spawner.start(new ProcessBuilder("true")::start).waitFor())
        .as("the thread goes on")
        .isZero();
  }

  @Test
  void aFailedForkIsReportedAsAValue() {
    assertThatThrownBy(() -> Spawner.start(new ProcessBuilder("/nowhere/program")::start))
        .isInstanceOf(IOException.class);
  }
}
