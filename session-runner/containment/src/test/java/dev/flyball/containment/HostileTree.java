package dev.flyball.containment;

import static org.awaitility.Awaitility.await;

import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A copy of perl and the script that starts every kind of child that is known to escape; the copy
 * is the mark.
 */
final class HostileTree implements AutoCloseable {
  /** All kinds, as the script names them. */
  static final List<String> KINDS =
      List.of(
          "plain", "igterm", "setsid", "pgrp", "daemon", "holdout", "noenv", "noenvd", "stopped",
          "vfork", "zombie", "comet", "bomb");

  /**
   * Live processes of one full tree: one of each kind, the vfork child, 20 of the bomb, and the
   * agent itself.
   */
  static final int FULL = KINDS.size() + 1 + 20 + 1;

  private static final int LOOKS = 10;

  final Path perl;
  final Path script;
  private final Path folder;

  HostileTree(Path folder) throws IOException {
    this.folder = folder;
    perl = folder.toRealPath().resolve("perl-" + UUID.randomUUID());
    script = folder.toRealPath().resolve("hostile.pl");
    Files.copy(Path.of("/usr/bin/perl"), perl);
    perl.toFile().setExecutable(true, false);
    try (InputStream in = HostileTree.class.getResourceAsStream("hostile.pl")) {
      Files.copy(in, script);
    }
    script.toFile().setReadable(true, false);
  }

  List<String> command(String... kinds) {
    return Stream.concat(Stream.of(perl.toString(), script.toString()), Stream.of(kinds)).toList();
  }

  Launch launch(String... kinds) {
    return new Launch(
        UUID.randomUUID().toString(), command(kinds), Map.of("PATH", "/usr/bin:/bin"), folder, "");
  }

  /**
   * Waits until so many trees are there with all their kinds. The comet is not waited for: one look
   * in ten misses each, and on a slow machine nearly every one.
   */
  void awaitFull(int trees) {
    await().atMost(Duration.ofSeconds(30)).until(() -> alive().size() >= trees * (FULL - 1));
  }

  /** The truth; a comet may be missed. */
  List<ProcSampler.Seen> alive() {
    return ProcSampler.running(perl);
  }

  /** The truth that no comet escapes: whatever was seen in one of some looks. */
  List<ProcSampler.Seen> left() {
    var seen = new TreeMap<Integer, ProcSampler.Seen>();
    for (int look = 0; look < LOOKS; look++) {
      alive().forEach(one -> seen.put(one.pid(), one));
      LockSupport.parkNanos(3_000_000);
    }
    return List.copyOf(seen.values());
  }

  /**
   * Kills what a weak level left, by the mark that nothing else on this machine has, and takes the
   * dead away that came to this JVM: thousands of them would slow down every later look.
   */
  @Override
  public void close() {
    List<ProcSampler.Seen> left = left();
    for (int pass = 0; pass < 500 && !left.isEmpty(); pass++) {
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.STOP));
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.KILL));
      left = left();
    }
    Orphans.of(ProcessTable.read(), 0);
  }
}
