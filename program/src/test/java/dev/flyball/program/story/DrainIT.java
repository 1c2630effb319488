package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code sessions.drain} is kept, also where it is longer than any other limit of a stop. With
 * {@code -Dflyball.drain=60} agents run 40 s and 90 s.
 */
@Tag("long")
@DisplayName("A runner that is stopped lets its sessions go on")
final class DrainIT {
  private static final int DRAIN = Integer.getInteger("flyball.drain", 16);

  /** Without a drain a stop takes at most this long. */
  private static final Duration STOP = Duration.ofSeconds(14);

  private static final String SHORT = "default/backlog/0";
  private static final String LONG = "default/backlog/1";
  private static final String ENDLESS = "default/backlog/2";

  private static final String AGENT =
      """
      case "$(cat)" in
        *"argument 0,"*) sleep %s ;;
        *"argument 1,"*) sleep %s ;;
        *"argument 2,"*) sleep 600 ;;
      esac
      echo "Main.java line 1 is the cause"
      """
          .formatted(DRAIN * 2 / 3 + DRAIN % 3, DRAIN * 3 / 2);

  @Test
  void untilTheyEndOrTheDrainIsOverOrASecondSignalComes(@TempDir Path folder) {
    try (var cluster = Cluster.in(folder, AGENT)) {
      cluster.add(2);
      configure(cluster, DRAIN + "s");
      cluster.start(1).awaitLive(2);
      Program runner = cluster.runners.getFirst();
      long stopped = System.nanoTime();
      runner.signal("TERM");
      assertThat(runner.awaitExit(Duration.ofSeconds(DRAIN).plusMinutes(1))).isZero();
      Duration took = Duration.ofNanos(System.nanoTime() - stopped);
      System.out.printf("drain of %s s: the runner ended %s after TERM%n", DRAIN, took);
      assertThat(took).isBetween(Duration.ofSeconds(DRAIN), STOP.plusSeconds(DRAIN));
      assertThat(outcome(cluster, SHORT)).isEqualTo(EventType.SESSION_COMPLETED);
      assertThat(outcome(cluster, LONG)).isEqualTo(EventType.SESSION_INTERRUPTED);
      assertThat(cluster.place.live()).isEmpty();

      cluster.add(1);
      configure(cluster, "10m");
      Program next = cluster.restart(0).awaitReady();
      cluster.awaitLive(2);
      awaitRefusal(cluster, next, null);
      next.signal("TERM");
      awaitRefusal(cluster, next, "draining");
      next.signal("INT");
      assertThat(next.awaitExit(STOP.plusSeconds(10)))
          .as("the first signal is the reason of the stop")
          .isZero();
      assertThat(outcome(cluster, ENDLESS)).isEqualTo(EventType.SESSION_INTERRUPTED);
    }
  }

  /** Without it the JVM, which handles each signal on its own thread, may take either first. */
  private static void awaitRefusal(Cluster cluster, Program runner, @Nullable String why) {
    await("the runner's entry says " + why)
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            cluster.audit().state.runners().stream()
                .filter(each -> runner.out().contains("id=" + each.id() + " "))
                .anyMatch(each -> Objects.equals(why, each.refusing())));
  }

  private static void configure(Cluster cluster, String drain) {
    // Clocks that no busy machine can overrun: a fence would end a session before its time.
    cluster.configure(2, new Workplace.Clocks("45s", "5s", "10s"));
    cluster.place.change("grace: 500ms", "grace: 500ms, drain: " + drain);
  }

  /** The terminal of the item's first session, once it is written. */
  private static EventType outcome(Cluster cluster, String item) {
    return await("the terminal of " + item)
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                cluster.audit().events.stream()
                    .filter(event -> event.type().terminal() && event.subject().equals(item))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow()
        .type();
  }
}
