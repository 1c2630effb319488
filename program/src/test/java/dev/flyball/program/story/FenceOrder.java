package dev.flyball.program.story;

import dev.flyball.program.story.SessionSampler.Sighting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * When fenced sessions were dead, by their runners' logs and by /proc, beside when the next session
 * began that could take their slot or their item.
 */
final class FenceOrder {
  private static final Pattern DEAD =
      Pattern.compile("^(\\S+) .* tree ended: session=(\\S+) cause=fenced .*");

  private final List<Fenced> fenced;

  private FenceOrder(List<Fenced> fenced) {
    this.fenced = fenced;
  }

  /**
   * One fenced session.
   *
   * @param byRunner when its runner said that it had verified that nothing is left of it
   * @param byProc end of the first look at /proc that saw nothing of it, which decides
   * @param next the first session to be seen of those whose claim stands behind the end of its
   *     lease, so that they may have its slot or its item; null if there was none
   */
  record Fenced(
      String session, String item, Instant byRunner, Instant byProc, @Nullable Next next) {
    boolean tooLate() {
      return next != null && !byProc.isBefore(next.seen());
    }

    Optional<Long> gapMs() {
      return Optional.ofNullable(next)
          .map(after -> Duration.between(byProc, after.seen()).toMillis());
    }
  }

  /** The start after a fence. */
  record Next(String session, String item, Instant seen) {}

  /** Reads the runners' logs and compares. */
  static FenceOrder of(LedgerAudit audit, Map<String, Sighting> sightings, Workplace place) {
    return new FenceOrder(
        logged(place).entrySet().stream()
            .map(dead -> fenced(dead.getKey(), dead.getValue(), audit, sightings))
            .sorted(Comparator.comparing(Fenced::byProc))
            .toList());
  }

  private static Fenced fenced(
      String session, Instant byRunner, LedgerAudit audit, Map<String, Sighting> sightings) {
    Sighting sighting = sightings.get(session);
    // One that was fenced as it began may have lived between two looks.
    Instant byProc = sighting == null ? byRunner : sighting.gone();
    if (byProc == null) {
      throw new AssertionError("its runner says it is dead, /proc shows it: " + session);
    }
    return new Fenced(
        session, audit.itemOf(session), byRunner, byProc, next(session, audit, sightings));
  }

  private static @Nullable Next next(
      String session, LedgerAudit audit, Map<String, Sighting> sightings) {
    long end = Objects.requireNonNull(audit.endedAt.get(session), "settled, but its lease is open");
    return sightings.entrySet().stream()
        .filter(each -> audit.claimedAt.getOrDefault(each.getKey(), -1L) > end)
        .map(each -> new Next(each.getKey(), audit.itemOf(each.getKey()), each.getValue().first()))
        .min(Comparator.comparing(Next::seen))
        .orElse(null);
  }

  private static Map<String, Instant> logged(Workplace place) {
    Map<String, Instant> dead = new HashMap<>();
    try (var files = Files.walk(place.home)) {
      for (Path log : files.filter(file -> file.endsWith("logs/flyball.log")).toList()) {
        for (String line : Files.readAllLines(log)) {
          Matcher found = DEAD.matcher(line);
          if (found.matches()) {
            dead.put(found.group(2), OffsetDateTime.parse(found.group(1)).toInstant());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return dead;
  }

  List<Fenced> fenced() {
    return fenced;
  }

  /** Those that /proc saw alive when the next one began; there must be none. */
  List<Fenced> tooLate() {
    return fenced.stream().filter(Fenced::tooLate).toList();
  }

  /** From death to the next start, in milliseconds. */
  String smallestGap() {
    return fenced.stream()
        .flatMap(each -> each.gapMs().stream())
        .min(Comparator.naturalOrder())
        .map(String::valueOf)
        .orElse("-");
  }

  void print() {
    for (Fenced each : fenced) {
      Next next = each.next();
      System.out.printf(
          "fenced %s (%s): dead by its runner %s, by /proc %s; next start %s%n",
          each.session().substring(0, 8),
          each.item(),
          each.byRunner(),
          each.byProc(),
          next == null
              ? "none"
              : "%s (%s) %s, %d ms later"
                  .formatted(
                      next.session().substring(0, 8),
                      next.item(),
                      next.seen(),
                      each.gapMs().orElseThrow()));
    }
  }
}
