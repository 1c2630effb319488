package dev.flyball.containment;

import static org.awaitility.Awaitility.await;

import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.session.Spawner;
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
public final class HostileTree implements AutoCloseable {
  /** All kinds, as the script names them. */
  public static final List<String> KINDS =
      List.of(
          "plain", "igterm", "setsid", "pgrp", "daemon", "holdout", "noenv", "noenvd", "stopped",
          "vfork", "zombie", "comet", "bomb");

  /**
   * Live processes of one full tree: one of each kind, the vfork child, 20 of the bomb, and the
   * agent itself.
   */
  public static final int FULL = KINDS.size() + 1 + 20 + 1;

  private static final int SCANS = 10;

  /** The copy of perl. */
  public final Path perl;

  final Path script;
  private final Path folder;

  /** Copies perl and the script to this folder. */
  public HostileTree(Path folder) throws IOException {
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

  /** What runs these kinds, or all. */
  public List<String> command(String... kinds) {
    return Stream.concat(Stream.of(perl.toString(), script.toString()), Stream.of(kinds)).toList();
  }

  /** A launch of these kinds, or of all. */
  public Launch launch(String... kinds) {
    return new Launch(
        UUID.randomUUID().toString(), command(kinds), Map.of("PATH", "/usr/bin:/bin"), folder, "");
  }

  /**
   * Waits until so many trees are there with all their kinds. The comet is not waited for: one scan
   * in ten misses each, and on a slow machine nearly every one.
   */
  public void awaitFull(int trees) {
    await().atMost(Duration.ofSeconds(30)).until(() -> alive().size() >= trees * (FULL - 1));
  }

  /** The truth; a comet may be missed. */
  public List<ProcSampler.Seen> alive() {
    return ProcSampler.running(perl);
  }

  /** The truth that no comet escapes: whatever was seen in one of some scans. */
  public List<ProcSampler.Seen> left() {
    var seen = new TreeMap<Integer, ProcSampler.Seen>();
    for (int scan = 0; scan < SCANS; scan++) {
      alive().forEach(one -> seen.put(one.pid(), one));
      LockSupport.parkNanos(3_000_000);
    }
    return List.copyOf(seen.values());
  }

  /**
   * Kills what a weak level left, by the mark that nothing else on this machine has, and reaps what
   * this JVM has adopted: thousands of zombies would slow down every later scan.
   */
  @Override
  public void close() {
    List<ProcSampler.Seen> left = left();
    for (int pass = 0; pass < 500 && !left.isEmpty(); pass++) {
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.STOP));
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.KILL));
      left = left();
    }
    reapAdopted();
  }

  /** The kernel sessions of adopted processes differ from this JVM's and its own children's. */
  private static void reapAdopted() {
    ProcessTable table = ProcessTable.read();
    int self = (int) ProcessHandle.current().pid();
    int ownSession = table.find(self).map(ProcessEntry::session).orElse(0);
    table.children(self).stream()
        .filter(child -> child.session() != ownSession && !Spawner.started(child.pid()))
        .filter(child -> !child.alive())
        .forEach(child -> Kernel.reap(child.pid()));
  }
}
