package dev.flyball.program.cli;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * How old the answers of a projection are. They are read from its file, which is not updated while
 * no service runs; sessions that were live then are not live now.
 *
 * @param asOf when the projection last heard from Kafka; null if never
 * @param fix why they are not updated, if they are not, and what to do
 * @param ownerGone whether the process that updated the projection has surely exited
 */
record ProjectionAge(Instant now, @Nullable Instant asOf, String fix, boolean ownerGone) {
  /** A working console records every 5 s that it heard from Kafka; this is three times as long. */
  private static final Duration FRESH = Duration.ofSeconds(15);

  static ProjectionAge of(ConsoleView view, Configuration configuration) {
    Path data = configuration.get(Keys.DATA);
    return new ProjectionAge(
        Instant.now(),
        view.asOf().orElse(null),
        "no service updates " + data + "; start ./flyball up or run to continue",
        DataLock.ownerGone(data.resolve(Role.CONSOLE.label())));
  }

  /** The time that the answers describe; durations of running sessions are measured to it. */
  Instant moment() {
    return asOf != null && old() ? asOf : now;
  }

  /** Prints on standard error how old the answers are, if they are old. */
  void report(Terminal terminal) {
    if (old()) {
      terminal.note(line());
    }
  }

  /** Whether no service keeps the projection up to date. */
  boolean old() {
    return ownerGone || asOf == null || asOf.plus(FRESH).isBefore(now);
  }

  String line() {
    return asOf == null
        ? "nothing was read from Kafka yet: " + fix
        : "as of "
            + asOf.truncatedTo(ChronoUnit.SECONDS)
            + ", "
            + TimeSpan.age(Duration.between(asOf, now))
            + " ago: "
            + fix;
  }
}
